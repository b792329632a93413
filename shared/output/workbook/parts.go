package workbook

import (
	"fmt"
	"strings"
)

// The prolog of all parts, and the names by which they refer to each other (ECMA-376-1).
const (
	xmlDeclaration       = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNamespace        = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationships        = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageRelationships = "http://schemas.openxmlformats.org/package/2006/relationships"
	contentTypes         = "http://schemas.openxmlformats.org/package/2006/content-types"
	contentType          = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// part is a small part of the archive.
type part struct{ name, text string }

func sheetPart(i int) string { return fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1) }

// parts returns all parts except the sheets.
func (b *Book) parts() []part {
	var types, sheets, relations strings.Builder
	for i, s := range b.sheets {
		state := ""
		if s.layout.Hidden {
			state = ` state="hidden"`
		}
		fmt.Fprintf(&types, `<Override PartName="/%s" ContentType="%sworksheet+xml"/>`, sheetPart(i), contentType)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d"%s r:id="rId%d"/>`, attribute(s.name), i+1, state, i+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, relationships, i+1)
	}
	return []part{
		{"[Content_Types].xml", xmlDeclaration + `<Types xmlns="` + contentTypes + `">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + contentType + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + contentType + `styles+xml"/>` + types.String() + `</Types>`},
		{"_rels/.rels", xmlDeclaration + `<Relationships xmlns="` + packageRelationships + `"><Relationship Id="rId1" Type="` + relationships + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", xmlDeclaration + `<workbook xmlns="` + mainNamespace + `" xmlns:r="` + relationships + `"><bookViews><workbookView/></bookViews><sheets>` + sheets.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", xmlDeclaration + `<Relationships xmlns="` + packageRelationships + `">` + relations.String() +
			fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, len(b.sheets)+1, relationships)},
		{"xl/styles.xml", b.stylesPart()},
	}
}
