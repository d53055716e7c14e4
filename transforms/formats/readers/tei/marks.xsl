<?xml version="1.0" encoding="utf-8"?>
<!--
  The text of a TEI element with marks where paragraphs, breaks, words and sentences are: what is
  not the text's own words is dropped, and of each choice and app one reading is taken.

  Elements are known by their names in the namespace of TEI and in none. Parameter `parts`: names
  of the children of text that are read, separated by spaces. tei_marks.py says what the marks are.
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
  <!ENTITY TEI "http://www.tei-c.org/ns/1.0">
]>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:t="&TEI;">
<xsl:output method="text" encoding="utf-8"/>
<xsl:param name="parts" select="'body'"/>

<xsl:template match="/*"><xsl:apply-templates select="text | t:text" mode="parts"/></xsl:template>
<xsl:template match="text | t:text | group | t:group" mode="parts">
  <xsl:apply-templates mode="parts" select="
    *[contains(concat(' text group ', $parts, ' '), concat(' ', local-name(), ' '))
      and (namespace-uri() = '' or namespace-uri() = '&TEI;')]"/>
</xsl:template>
<xsl:template match="*" mode="parts"><xsl:call-template name="block"/></xsl:template>

<xsl:template priority="1" match="
  fw | note | del | figDesc | teiHeader | rdg | surplus | ptr | graphic | gap | interp | interpGrp |
  t:fw | t:note | t:del | t:figDesc | t:teiHeader | t:rdg | t:surplus | t:ptr | t:graphic | t:gap |
  t:interp | t:interpGrp"/>

<!-- Readings, and white space between them and what they are of. -->
<xsl:template priority="2" match="
  ruby/rt | t:ruby/t:rt | ruby/text()[not(normalize-space())] | t:ruby/text()[not(normalize-space())]"/>

<!-- Blocks: each is a paragraph, or holds some. -->
<xsl:template priority="1" match="
  p | ab | head | lg | sp | speaker | stage | div | div1 | div2 | div3 | div4 | div5 | div6 | div7 |
  list | item | table | row | cell | trailer | closer | opener | salute | signed | dateline |
  byline | epigraph | argument | postscript | titlePage | docTitle | titlePart | docAuthor |
  docImprint | docEdition | docDate | imprimatur | castList | castItem | castGroup | figure |
  floatingText | front | body | back | group | listBibl | entry | u |
  t:p | t:ab | t:head | t:lg | t:sp | t:speaker | t:stage | t:div | t:div1 | t:div2 | t:div3 |
  t:div4 | t:div5 | t:div6 | t:div7 | t:list | t:item | t:table | t:row | t:cell | t:trailer |
  t:closer | t:opener | t:salute | t:signed | t:dateline | t:byline | t:epigraph | t:argument |
  t:postscript | t:titlePage | t:docTitle | t:titlePart | t:docAuthor | t:docImprint |
  t:docEdition | t:docDate | t:imprimatur | t:castList | t:castItem | t:castGroup | t:figure |
  t:floatingText | t:front | t:body | t:back | t:group | t:listBibl | t:entry | t:u">
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
    <xsl:otherwise><xsl:apply-templates/></xsl:otherwise>
  </xsl:choose>
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
    <xsl:when test="@break = 'no'">&JOIN;</xsl:when>
    <xsl:when test="@break = 'yes'"><xsl:text> </xsl:text></xsl:when>
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
    <xsl:when test="expan | t:expan">
      <xsl:apply-templates select="(expan | t:expan)[1]/node()"/>
    </xsl:when>
    <xsl:otherwise><xsl:apply-templates select="*[1]" mode="reading"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<xsl:template match="app | t:app" priority="1">
  <xsl:choose>
    <xsl:when test="lem | t:lem">
      <xsl:apply-templates select="(lem | t:lem)[1]/node()"/>
    </xsl:when>
    <xsl:otherwise><xsl:apply-templates select="*[1]" mode="reading"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="reading"><xsl:apply-templates/></xsl:template>
<xsl:template mode="reading" match="
  w | t:w | pc | t:pc | choice | t:choice | app | t:app">
  <xsl:apply-templates select="."/>
</xsl:template>

<xsl:template match="s | t:s" priority="1">
  <xsl:text> &SENTENCE;</xsl:text><xsl:apply-templates/><xsl:text>&SENTENCE_END; </xsl:text>
</xsl:template>
<xsl:template match="w | t:w | pc | t:pc" priority="1">
  <xsl:if test="@join"><xsl:if test="@join = 'left' or @join = 'both'">&JOIN;</xsl:if></xsl:if>
  <xsl:text>&WORD;</xsl:text>
  <xsl:value-of select="translate(@lemma, '&VALUE;', ' ')"/><xsl:text>&VALUE;</xsl:text>
  <xsl:value-of select="translate(@pos, '&VALUE;', ' ')"/><xsl:text>&VALUE;</xsl:text>
  <xsl:value-of select="translate(@msd, '&VALUE;', ' ')"/><xsl:text>&VALUE;</xsl:text>
  <xsl:value-of select="local-name()"/><xsl:text>&VALUE;</xsl:text>
  <xsl:apply-templates/>
  <xsl:text>&WORD_END;</xsl:text>
  <xsl:if test="@join"><xsl:if test="@join = 'right' or @join = 'both'">&JOIN;</xsl:if></xsl:if>
</xsl:template>
<!-- A word within a word is a part of it. -->
<xsl:template priority="2" match="
  w//w | t:w//w | pc//w | t:pc//w |
  w//t:w | t:w//t:w | pc//t:w | t:pc//t:w |
  w//pc | t:w//pc | pc//pc | t:pc//pc |
  w//t:pc | t:w//t:pc | pc//t:pc | t:pc//t:pc">
  <xsl:apply-templates/>
</xsl:template>
</xsl:stylesheet>
