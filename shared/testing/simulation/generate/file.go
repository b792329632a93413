package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// writeFile writes the records in the import's format.
func (g *generator) writeFile() {
	switch g.Format {
	case "ndjson":
		g.Filename, g.File, g.Options = "invented.ndjson", g.writeNDJSON(), `{"decimalMark":"."}`
	case "xlsx":
		g.Filename, g.File, g.Options = "invented.xlsx", g.writeXLSX(), `{"headerRow":1,"decimalMark":"."}`
	default:
		g.Filename, g.File = "invented.csv", g.writeCSV()
	}
	if g.Type == "RESULT" {
		g.Options = strings.TrimSuffix(g.Options, "}") + `,"participantIdMode":"regid"}`
	}
}

func (g *generator) columnHeaders() []string {
	headers := make([]string, len(g.Columns))
	for i, c := range g.Columns {
		headers[i] = c.Header
	}
	return headers
}

func (g *generator) writeCSV() []byte {
	delimiter, end := pickOne(g, ",", ";", "\t", "|"), pickOne(g, "\n", "\r\n", "\r")
	options, _ := json.Marshal(map[string]any{"delimiter": delimiter, "quote": `"`, "headerRow": 1, "decimalMark": "."})
	g.Options = string(options)
	var b strings.Builder
	for i, r := range g.Records {
		var cells []string
		switch r.Outcome {
		case rowwrite.Header:
			cells = g.columnHeaders()
		case rowwrite.Pending:
			cells = rawTexts(r)
			if r.Ragged < 0 {
				cells = cells[:len(cells)-1]
			} else if r.Ragged > 0 {
				cells = append(cells, "more")
			}
		case rowwrite.Blank:
			b.WriteString(pickOne(g, "", "", strings.Repeat(delimiter, len(g.Columns)-1), "  "))
		}
		for place, cell := range cells {
			if place > 0 {
				b.WriteString(delimiter)
			}
			b.WriteString(g.quoteCSV(cell, delimiter))
		}
		if i < len(g.Records)-1 || g.chance(70) {
			b.WriteString(end)
		}
	}
	if g.Format == "csv-utf16" {
		return encodeUTF16(b.String())
	}
	if g.chance(20) {
		return append([]byte("\uFEFF"), b.String()...)
	}
	return []byte(b.String())
}

// quoteCSV returns a CSV cell.
func (g *generator) quoteCSV(cell, delimiter string) string {
	if strings.ContainsAny(cell, delimiter+"\"\r\n") || strings.HasPrefix(cell, " ") || g.chance(15) {
		return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return cell
}

// encodeUTF16 returns UTF-16LE with a byte order mark.
func encodeUTF16(text string) []byte {
	out := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

// writeNDJSON writes a line for each record. The first rows have all keys, so that all columns
// are known.
func (g *generator) writeNDJSON() []byte {
	var b bytes.Buffer
	first := true
	for _, r := range g.Records {
		if r.Outcome == rowwrite.Blank {
			b.WriteString("\n")
			continue
		}
		b.WriteByte('{')
		n := 0
		for i, c := range r.Cells {
			if c.Raw == "" && !first && g.chance(50) {
				continue
			}
			if n++; n > 1 {
				b.WriteByte(',')
			}
			key, _ := json.Marshal(g.Columns[i].Header)
			value, _ := json.Marshal(c.Raw)
			fmt.Fprintf(&b, "%s:%s", key, value)
		}
		first = false
		b.WriteString("}\n")
	}
	return b.Bytes()
}

func (g *generator) writeXLSX() []byte {
	book := excelize.NewFile()
	defer book.Close()
	for i, r := range g.Records {
		var cells []string
		switch r.Outcome {
		case rowwrite.Header:
			cells = g.columnHeaders()
		case rowwrite.Pending:
			cells = rawTexts(r)
		}
		for place, cell := range cells {
			if cell == "" {
				continue
			}
			name, err := excelize.CoordinatesToCellName(place+1, i+1)
			if err == nil {
				err = book.SetCellStr("Sheet1", name, cell)
			}
			if err != nil {
				panic(err) // every workbook accepts this cell and text
			}
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		panic(err) // writing to memory does not fail
	}
	return b.Bytes()
}
