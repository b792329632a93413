package annotate

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path"
	"strings"
)

// relation is a reference from one part to another.
type relation struct{ id, kind, target string }

// relations are the relations of a part.
type relations struct {
	part string // the part itself
	name string // name of the part that contains the relations
	text []byte // raw content; nil if the part does not exist yet
	all  []relation
}

const noRelations = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
	`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>`

// relations reads the relations of a part; "" is the package.
func (b *workbookPatch) relations(part string) (*relations, error) {
	dir, base := path.Split(part)
	r := &relations{part: part, name: dir + "_rels/" + base + ".rels"}
	if b.parts[canonicalName(r.name)] == nil {
		return r, nil
	}
	var err error
	if r.text, err = b.readPart(r.name); err != nil {
		return nil, err
	}
	return r, b.eachElement(r.name, func(e *xml.StartElement, _ int) error {
		if e.Name.Local == "Relationship" && attributeOf(e, "TargetMode") != "External" {
			r.all = append(r.all, relation{attributeOf(e, "Id"), path.Base(attributeOf(e, "Type")), resolveTarget(dir, attributeOf(e, "Target"))})
		}
		return nil
	})
}

// resolveTarget returns the part of a target relative to a folder.
func resolveTarget(dir, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return path.Join(dir, target)
}

func (r *relations) kind(kind string) *relation {
	for i := range r.all {
		if r.all[i].kind == kind {
			return &r.all[i]
		}
	}
	return nil
}

func (r *relations) byID(id string) *relation {
	for i := range r.all {
		if id != "" && r.all[i].id == id {
			return &r.all[i]
		}
	}
	return nil
}

// add adds a relation and returns its id.
func (r *relations) add(b *workbookPatch, kind, target string) string {
	id := ""
	for n := 1; id == "" || bytes.Contains(r.text, []byte(`"`+id+`"`)); n++ {
		id = fmt.Sprintf("rIdLoadbay%d", n)
	}
	if r.text == nil {
		r.text = []byte(noRelations)
	}
	base := "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	if b.strict && kind != "vmlDrawing" {
		base = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
	}
	r.text = insertBeforeEnd(r.text, "Relationships", fmt.Sprintf(`<%%sRelationship Id="%s" Type="%s%s" Target="/%s"/>`, id, base, kind, escapeText(target)))
	b.replacePart(r.name, r.text)
	return id
}

// insertBeforeEnd inserts elements before the end of the outermost element of a part. %s in
// them is replaced by its prefix.
func insertBeforeEnd(text []byte, outer, elements string) []byte {
	end := bytes.LastIndex(text, []byte("</"))
	if end < 0 { // an empty element: <x:Outer …/>
		open := bytes.LastIndex(text, []byte("/>"))
		begin := bytes.LastIndexByte(text[:max(open, 0)], '<')
		if open < 0 || begin < 0 {
			return text
		}
		name, _, _ := bytes.Cut(text[begin+1:open], []byte(" "))
		text = concat(text[:open], []byte("></"), name, []byte(">"))
		end = bytes.LastIndex(text, []byte("</"))
	}
	prefix := strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(text[end+2:])), ">")), outer)
	return concat(text[:end], []byte(strings.ReplaceAll(elements, "%s", prefix)), text[end:])
}

// declare adds the content types of new parts.
func (b *workbookPatch) declare(overrides map[string]string, vml bool) error {
	const name = "[Content_Types].xml"
	text, err := b.readPart(name)
	if err != nil {
		return err
	}
	if vml && !bytes.Contains(bytes.ToLower(text), []byte(`extension="vml"`)) {
		// Defaults for extensions precede overrides for parts.
		element := `Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>`
		s := newScanner(bytes.NewReader(text))
		for {
			more, err := s.next()
			if err != nil {
				return err
			}
			if !more {
				return unsupportedError(fmt.Errorf("%s is empty", name))
			}
			if e := s.startElement(); e != nil && s.depth == 2 {
				at := int(s.at) - len(s.raw)
				text = concat(text[:at], []byte("<"+prefixedName(e.Name, element)), text[at:])
				break
			}
		}
	}
	for part, kind := range overrides {
		text = insertBeforeEnd(text, "Types", fmt.Sprintf(`<%%sOverride PartName="/%s" ContentType="%s"/>`, escapeText(part), kind))
	}
	b.replacePart(name, text)
	return nil
}
