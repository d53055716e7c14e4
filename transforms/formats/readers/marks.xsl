<?xml version="1.0" encoding="utf-8"?>
<!--
  The text of a TEI element with marks where paragraphs, breaks, words and sentences are: what is
  not the text's own words is dropped, and of each choice and app one reading is taken.

  Elements are known by their names in the namespace of TEI and in none. Parameter `parts`: names
  of the children of text that are read, separated by spaces. tei_text.py says what the marks are.
-->
<!DOCTYPE xsl:stylesheet [
  <!ENTITY PARAGRAPH "&#x7F;">
  <!-- Escaped twice: a carriage return in an entity would be read as the end of a line. -->
  <!ENTITY BREAK "&#38;#13;">
  <!ENTITY JOIN "&BREAK;&#xFDD0;">
  <!ENTITY WORD "&#xFDD1;">
  <!ENTITY VALUE "&#xFDD2;">
  <!ENTITY WORD_END "&#xFDD3;">
  <!ENTITY SENTENCE "&#xFDD4;">
  <!ENTITY SENTENCE_END "&#xFDD5;">
  <!ENTITY WITHIN "&BREAK;&#xFDD6;">
  <!ENTITY SIGN "&#xFDD7;">
  <!ENTITY SIGN_END "&#xFDD8;">
  <!ENTITY GLUE "&#xFDD9;">
  <!ENTITY PART "&#xFDDA;">
  <!ENTITY TIGHT "&#xFDDB;">
  <!ENTITY TEI "http://www.tei-c.org/ns/1.0">
]>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:t="&TEI;"
  xmlns:txm="http://textometrie.org/1.0" xmlns:math="http://www.w3.org/1998/Math/MathML">
<xsl:output method="text" encoding="utf-8"/>
<xsl:param name="parts" select="'body'"/>

<xsl:template match="/*"><xsl:apply-templates select="text | t:text" mode="parts"/></xsl:template>
<xsl:template match="text | t:text | group | t:group" mode="parts">
  <xsl:apply-templates mode="parts" select="
    *[contains(concat(' text group ', $parts, ' '), concat(' ', local-name(), ' '))
      and (namespace-uri() = '' or namespace-uri() = '&TEI;')]"/>
</xsl:template>
<xsl:template match="*" mode="parts"><xsl:call-template name="block"/></xsl:template>

<!-- What is not the text's own words: printed around it, struck out, of another reading, or said about it. -->
<xsl:template priority="1" match="
  fw | note | del | figDesc | teiHeader | rdg | surplus | ptr | graphic | interp | interpGrp | span | spanGrp | index |
  metamark | rt | fs | fLib | fvLib | annotation | listAnnotation | standOff |
  t:fw | t:note | t:del | t:figDesc | t:teiHeader | t:rdg | t:surplus | t:ptr | t:graphic | t:interp | t:interpGrp |
  t:span | t:spanGrp | t:index | t:metamark | t:rt | t:fs | t:fLib | t:fvLib | t:annotation | t:listAnnotation |
  t:standOff | txm:ana | txm:form[preceding-sibling::txm:form] | math:annotation | math:annotation-xml"/>

<!-- What an abbreviation alone has; a deletion that is taken back;
     hyphens that a transcription has as signs of its own. -->
<xsl:template priority="2" match="
  expan//am | t:expan//t:am | am[following-sibling::node()[1][self::ex]] |
  t:am[following-sibling::node()[1][self::t:ex]]"/>
<xsl:template match="restore/del | t:restore/t:del" priority="2"><xsl:apply-templates/></xsl:template>
<xsl:template match="g[contains(@ref, 'EOL')] | t:g[contains(@ref, 'EOL')]" priority="2">
  <xsl:text>&#xAD;</xsl:text>
</xsl:template>

<!-- What is heard and seen, and room on the page: they part words. -->
<xsl:template priority="1" match="
  incident | kinesic | vocal | shift | pause | writing | event | space | caesura |
  t:incident | t:kinesic | t:vocal | t:shift | t:pause | t:writing | t:event | t:space | t:caesura">
  <xsl:call-template name="apart"/>
</xsl:template>
<xsl:template match="u//note | u//stage | t:u//t:note | t:u//t:stage" priority="2">
  <xsl:call-template name="apart"/>
</xsl:template>
<xsl:template match="listEvent//event | t:listEvent//t:event" priority="2">
  <xsl:call-template name="block"/>
</xsl:template>
<!-- A word that lacks letters is one word; where words are missing there are two. -->
<xsl:template match="gap | t:gap" priority="1">
  <xsl:variable name="of" select="translate(concat(@unit, ' ', @extent), 'CHARLETS', 'charlets')"/>
  <xsl:if test="not(contains($of, 'char') or contains($of, 'letter'))">
    <xsl:call-template name="apart"/>
  </xsl:if>
</xsl:template>
<!-- A description is text where the text consists of them: lists of places and the like, documentation. -->
<xsl:template match="desc | t:desc" priority="1">
  <xsl:choose>
    <xsl:when test="
      contains(' place org person personGrp nym object event valItem ', concat(' ', local-name(..), ' '))
      or contains(concat(local-name(..), ' '), 'Spec ')">
      <xsl:call-template name="block"/>
    </xsl:when>
    <xsl:otherwise><xsl:call-template name="apart"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template name="apart">
  <xsl:variable name="next" select="substring(following-sibling::node()[1], 1, 1)"/>
  <xsl:if test="
    not($next and contains(',.;:!?…)]»”’', $next)) and not(ancestor::w or ancestor::t:w)">
    <xsl:text> </xsl:text>
  </xsl:if>
</xsl:template>

<!-- White space in it is between readings and what they are of. A pattern of text nodes would slow all of them down. -->
<xsl:template match="ruby | t:ruby" priority="1">
  <xsl:apply-templates select="* | text()[normalize-space()]"/>
</xsl:template>

<!-- Blocks: each is a paragraph, or holds some. -->
<xsl:template priority="1" match="
  p | ab | head | lg | sp | speaker | stage | div | div1 | div2 | div3 | div4 | div5 | div6 | div7 |
  list | item | table | row | cell | trailer | closer | opener | salute | signed | dateline |
  byline | epigraph | argument | postscript | titlePage | docTitle | titlePart | docAuthor |
  docImprint | docEdition | docDate | imprimatur | castList | castItem | castGroup | figure |
  floatingText | front | body | back | group | listBibl | entry | u | sound | camera | tech | view | caption |
  t:p | t:ab | t:head | t:lg | t:sp | t:speaker | t:stage | t:div | t:div1 | t:div2 | t:div3 |
  t:div4 | t:div5 | t:div6 | t:div7 | t:list | t:item | t:table | t:row | t:cell | t:trailer |
  t:closer | t:opener | t:salute | t:signed | t:dateline | t:byline | t:epigraph | t:argument |
  t:postscript | t:titlePage | t:docTitle | t:titlePart | t:docAuthor | t:docImprint |
  t:docEdition | t:docDate | t:imprimatur | t:castList | t:castItem | t:castGroup | t:figure |
  t:floatingText | t:front | t:body | t:back | t:group | t:listBibl | t:entry | t:u |
  t:sound | t:camera | t:tech | t:view | t:caption">
  <xsl:call-template name="block"/>
</xsl:template>

<!-- What stands directly in some of them, outside a block, is a block of its own. -->
<xsl:template match="*">
  <xsl:choose>
    <xsl:when test="contains('
      div div1 div2 div3 div4 div5 div6 div7 list table row titlePage front body back
      group floatingText listBibl castList castGroup
      ', concat(' ', local-name(..), ' '))
        and (namespace-uri(..) = '' or namespace-uri(..) = '&TEI;')">
      <xsl:call-template name="block"/>
    </xsl:when>
    <xsl:otherwise>
      <xsl:apply-templates/>
      <!-- Pieces that make no running text are no one word, though no white space stands between them. -->
      <xsl:if test="contains('
        castItem address biblStruct monogr analytic imprint entry form gramGrp sense cit
        ', concat(' ', local-name(..), ' ')) and local-name(following-sibling::node()[1])">
        <xsl:text> </xsl:text>
      </xsl:if>
    </xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template match="u/seg | t:u/t:seg">
  <xsl:apply-templates/>
  <xsl:if test="local-name(following-sibling::node()[1])"><xsl:text> </xsl:text></xsl:if>
</xsl:template>
<xsl:template name="block">
  <xsl:text>&PARAGRAPH;</xsl:text><xsl:apply-templates/><xsl:text>&PARAGRAPH;</xsl:text>
</xsl:template>

<xsl:template match="l | t:l" priority="1">
  <xsl:text> </xsl:text><xsl:apply-templates/><xsl:text> </xsl:text>
</xsl:template>

<xsl:template priority="1" match="
  pb | cb | gb | milestone | lb |
  t:pb | t:cb | t:gb | t:milestone | t:lb">
  <xsl:choose>
    <xsl:when test="@break = 'no' or @type = 'inWord'">&JOIN;</xsl:when>
    <xsl:when test="@break = 'yes'"><xsl:text> </xsl:text></xsl:when>
    <xsl:when test="ancestor::w or ancestor::t:w">&WITHIN;</xsl:when>
    <xsl:when test="self::lb | self::t:lb"><xsl:text>&BREAK; </xsl:text></xsl:when>
    <xsl:otherwise><xsl:text>&BREAK;</xsl:text></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="choice | t:choice" priority="1">
  <xsl:choose>
    <xsl:when test="corr | t:corr">
      <xsl:apply-templates select="(corr | t:corr)[1]/node()"/>
    </xsl:when>
    <xsl:when test="reg | t:reg">
      <xsl:apply-templates select="(reg | t:reg)[1]/node()"/>
    </xsl:when>
    <xsl:when test="expan | t:expan | ex | t:ex">
      <xsl:apply-templates select="(expan | t:expan | ex | t:ex)[1]/node()"/>
    </xsl:when>
    <xsl:otherwise><xsl:apply-templates select="*[1]" mode="reading"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template match="app | t:app" priority="1">
  <xsl:choose>
    <xsl:when test="lem | t:lem | rdgGrp/lem | t:rdgGrp/t:lem">
      <xsl:apply-templates select="(lem | t:lem | rdgGrp/lem | t:rdgGrp/t:lem)[1]/node()"/>
    </xsl:when>
    <xsl:otherwise><xsl:apply-templates select="*[1]" mode="reading"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="reading"><xsl:apply-templates/></xsl:template>
<xsl:template match="rdgGrp | t:rdgGrp" mode="reading">
  <xsl:apply-templates select="*[1]" mode="reading"/>
</xsl:template>
<xsl:template mode="reading" match="
  w | t:w | pc | t:pc | choice | t:choice | app | t:app">
  <xsl:apply-templates select="."/>
</xsl:template>

<xsl:template match="s | t:s" priority="1">
  <xsl:text> &SENTENCE;</xsl:text><xsl:apply-templates/><xsl:text>&SENTENCE_END; </xsl:text>
</xsl:template>
<xsl:template match="w | t:w" priority="1">
  <xsl:choose>
    <xsl:when test="@join | @part">
      <xsl:if test="@join = 'no'"><xsl:text> </xsl:text></xsl:if>
      <xsl:call-template name="before"/>
      <xsl:if test="@part = 'M' or @part = 'F'">&PART;</xsl:if>
      <xsl:text>&WORD;</xsl:text><xsl:call-template name="values"/>
      <xsl:call-template name="before"/><xsl:call-template name="parts"/><xsl:call-template name="behind"/>
      <xsl:text>&WORD_END;</xsl:text>
      <xsl:if test="@part = 'I' or @part = 'M'">&PART;</xsl:if>
      <xsl:call-template name="behind"/>
      <xsl:if test="@join = 'no'"><xsl:text> </xsl:text></xsl:if>
    </xsl:when>
    <xsl:otherwise>
      <xsl:text>&WORD;</xsl:text><xsl:call-template name="values"/>
      <xsl:call-template name="parts"/>
      <xsl:text>&WORD_END;</xsl:text>
    </xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template match="pc | t:pc" priority="1" name="sign">
  <xsl:if test="@join = 'no'"><xsl:text> </xsl:text></xsl:if>
  <xsl:call-template name="before"/>
  <xsl:text>&SIGN;</xsl:text><xsl:call-template name="values"/>
  <xsl:call-template name="before"/><xsl:call-template name="parts"/><xsl:call-template name="behind"/>
  <!-- One that parts words is no hyphen before a break. -->
  <xsl:if test="@force = 'strong'">&TIGHT;</xsl:if>
  <xsl:text>&SIGN_END;</xsl:text>
  <xsl:call-template name="behind"/>
  <xsl:if test="@join = 'no'"><xsl:text> </xsl:text></xsl:if>
</xsl:template>
<xsl:template name="before">
  <xsl:if test="@join = 'left' or @join = 'both'">&GLUE;</xsl:if>
</xsl:template>
<xsl:template name="behind">
  <xsl:if test="@join = 'right' or @join = 'both'">&GLUE;</xsl:if>
</xsl:template>
<xsl:template name="values">
  <xsl:value-of select="translate(@lemma, '&VALUE;', ' ')"/>
  <xsl:if test="txm:ana">
    <xsl:value-of select="translate(txm:ana[contains(@type, 'lemma')], '&VALUE;', ' ')"/>
  </xsl:if>
  <xsl:text>&VALUE;</xsl:text>
  <xsl:value-of select="translate(@pos, '&VALUE;', ' ')"/>
  <xsl:if test="txm:ana">
    <xsl:value-of select="translate(txm:ana[contains(@type, 'pos')], '&VALUE;', ' ')"/>
  </xsl:if>
  <xsl:text>&VALUE;</xsl:text>
  <xsl:value-of select="translate(@msd, '&VALUE;', ' ')"/>
  <xsl:text>&VALUE;</xsl:text>
</xsl:template>
<!-- Line ends between the parts of a word are there for the eye. -->
<xsl:template name="parts">
  <xsl:choose>
    <xsl:when test="not(*)"><xsl:value-of select="."/></xsl:when>
    <xsl:when test="w or t:w or m or t:m or txm:form"><xsl:apply-templates mode="parts-of-word"/></xsl:when>
    <xsl:otherwise><xsl:apply-templates/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template match="*" mode="parts-of-word"><xsl:apply-templates select="."/></xsl:template>
<xsl:template match="text()" mode="parts-of-word">
  <xsl:choose>
    <xsl:when test="contains(., '&#10;')"><xsl:value-of select="normalize-space()"/></xsl:when>
    <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<!-- A word within a word is a part of it. -->
<xsl:template priority="2" match="
  w//w | t:w//w | pc//w | t:pc//w |
  w//t:w | t:w//t:w | pc//t:w | t:pc//t:w |
  w//pc | t:w//pc | pc//pc | t:pc//pc |
  w//t:pc | t:w//t:pc | pc//t:pc | t:pc//t:pc">
  <xsl:call-template name="parts"/>
</xsl:template>
<!-- A sign that parts no words, before a break, is there for the break alone. -->
<xsl:template match="pc[@force = 'weak'] | t:pc[@force = 'weak']" priority="3">
  <xsl:variable name="next" select="following-sibling::node()[1]"/>
  <xsl:variable name="name" select="local-name(following-sibling::*[1])"/>
  <xsl:choose>
    <xsl:when test="not($next[self::text()][normalize-space()])
      and (contains(' lb pb cb gb milestone fw ', concat(' ', $name, ' '))
        or ($name = '' and (../@part = 'I' or ../@part = 'M')))">
      <xsl:text>&#xAD;</xsl:text>
    </xsl:when>
    <xsl:when test="ancestor::w or ancestor::t:w"><xsl:apply-templates/></xsl:when>
    <xsl:otherwise>&TIGHT;<xsl:call-template name="sign"/>&TIGHT;</xsl:otherwise>
  </xsl:choose>
</xsl:template>
</xsl:stylesheet>
