"""Labels as commands read them: files that were loaded may have none, and then there is no table of them."""

from lexbeam.pipelines.frame.command import Inputs, InputTable, TableSource
from lexbeam.pipelines.frame.inputs import missing_table
from lexbeam.schemas.complexity import INSTANCES, LABELS
from lexbeam.transforms.common.errors import NoDataError

_LOADED = "complexity.load"


def labels_source(folder: str | None, otherwise: str = "") -> TableSource:
    """Return the source of the labels of a folder's instances, which `find_labels` finds."""
    return TableSource(LABELS.name, folder, optional=True, otherwise=otherwise)


def find_labels(inputs: Inputs, source: TableSource, out: str) -> InputTable:
    """Return the labels of instances.

    Raises:
        NoDataError: the instances came with files in which none has a label.
        LexbeamError: nothing makes labels of the instances.
    """
    found = inputs.of(LABELS.name)
    if found:
        return found[0]
    instances = inputs.of(INSTANCES.name)[0]
    if instances.name == _LOADED and instances.section.get("labelled") == 0:
        raise NoDataError("no labels: no instance that was loaded has one")
    raise missing_table(source, out)
