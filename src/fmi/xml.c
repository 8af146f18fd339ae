/* xml.c: an XML text as a tree of elements with attributes.
 *
 * In: a source. Out: the root element, in an arena; text between elements is not kept. How: expat.
 * Declarations of document types, and with them all entities but the five that XML has, are
 * refused: no description of an FMU needs one, and they are how small files become large. Always:
 * nesting is limited. Cost: linear. Tests: tests/fmi/describe_test.c. */
#include "fmi/inside.h"

#include <expat.h>
#include <stdlib.h>
#include <strings.h>

enum { DEEPEST = 64 };

typedef struct {
    XML_Parser parser;
    const Source *source;
    Arena *arena;
    Diag *diag;
    XmlNode *open[DEEPEST]; /* elements that have not ended */
    XmlNode *last[DEEPEST]; /* their last child so far */
    XmlNode *root;
    uint32_t depth;
    bool failed;
} Reading;

static Span here(const Reading *r)
{
    XML_Index at = XML_GetCurrentByteIndex(r->parser);
    uint32_t offset = at < 0 ? 0 : (uint32_t)at;
    if (offset > r->source->text.n) offset = (uint32_t)r->source->text.n;
    return (Span){ r->source->base + offset, 1 };
}

static void stop(Reading *r, const char *text)
{
    if (!r->failed) diag_add(r->diag, E_FMU_XML, here(r), "%s", text);
    r->failed = true;
    XML_StopParser(r->parser, XML_FALSE);
}

static void on_doctype(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public_id,
                       int has_subset)
{
    (void)name, (void)system, (void)public_id, (void)has_subset;
    stop(user, "a document type declaration does not belong here");
}

/* A name that its sibling has, too, as a rule: then it is kept once. */
static const char *keep_name(Reading *r, const char *name, const char *like)
{
    return like && !strcmp(name, like) ? like : arena_copy(r->arena, str_of(name));
}

static void on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    Reading *r = user;
    if (r->failed) return;
    if (r->depth == DEEPEST) {
        stop(r, "elements are nested too deeply");
        return;
    }
    XmlNode *node = NEW(r->arena, XmlNode);
    Span span = here(r);
    const XmlNode *like = r->depth ? r->last[r->depth - 1] : NULL;
    node->name = keep_name(r, name, like ? like->name : NULL);
    node->span = (Span){ span.at, (uint32_t)strlen(name) + 1 };
    while (attributes[2 * node->count]) node->count++;
    node->attributes = NEW_ARRAY(r->arena, XmlAttribute, node->count);
    for (uint32_t i = 0; i < node->count; i++) {
        bool has_like = like && i < like->count;
        node->attributes[i].name =
            keep_name(r, attributes[2 * i], has_like ? like->attributes[i].name : NULL);
        node->attributes[i].value = arena_copy(r->arena, str_of(attributes[2 * i + 1]));
    }
    if (r->depth == 0)
        r->root = node;
    else if (r->last[r->depth - 1])
        r->last[r->depth - 1]->next = node;
    else
        r->open[r->depth - 1]->first = node;
    if (r->depth) r->last[r->depth - 1] = node;
    r->open[r->depth] = node;
    r->last[r->depth++] = NULL;
}

static void on_end(void *user, const XML_Char *name)
{
    Reading *r = user;
    (void)name;
    if (!r->failed) r->depth--;
}

/* Code points 0x80 to 0x9f of windows-1252; the rest is as in Latin-1. What has none is U+FFFD. */
static const unsigned short windows_1252[32] = { 0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020,
                                                 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0xfffd,
                                                 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d,
                                                 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
                                                 0x0153, 0xfffd, 0x017e, 0x0178 };

/* Encodings that expat does not know but tools for Windows write. */
static int on_encoding(void *user, const XML_Char *name, XML_Encoding *info)
{
    (void)user;
    if (strcasecmp(name, "windows-1252") != 0 && strcasecmp(name, "cp1252") != 0) return XML_STATUS_ERROR;
    for (int k = 0; k < 256; k++) info->map[k] = k >= 0x80 && k < 0xa0 ? windows_1252[k - 0x80] : k;
    info->data = NULL;
    info->convert = NULL;
    info->release = NULL;
    return XML_STATUS_OK;
}

XmlNode *xml_read(const Source *source, Arena *arena, Diag *diag)
{
    Reading r = { .parser = XML_ParserCreate(NULL), .source = source, .arena = arena, .diag = diag };
    if (!r.parser) {
        diag_add_file(diag, E_FMU_XML, source->path, "no memory to read this");
        return NULL;
    }
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
    XML_SetUnknownEncodingHandler(r.parser, on_encoding, NULL);
    XML_SetHashSalt(r.parser, 0x5bd1e995u + (unsigned long)source->base);
    if (XML_Parse(r.parser, source->text.at, (int)source->text.n, XML_TRUE) == XML_STATUS_ERROR && !r.failed)
        stop(&r, XML_ErrorString(XML_GetErrorCode(r.parser)));
    XML_ParserFree(r.parser);
    return r.failed ? NULL : r.root;
}

const char *xml_attribute(const XmlNode *node, const char *name)
{
    for (uint32_t i = 0; i < node->count; i++)
        if (!strcmp(node->attributes[i].name, name)) return node->attributes[i].value;
    return NULL;
}

const XmlNode *xml_child(const XmlNode *node, const char *name)
{
    for (const XmlNode *c = node ? node->first : NULL; c; c = c->next)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}
