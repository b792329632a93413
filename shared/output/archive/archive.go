// Package archive writes the archive of an organisation: a ZIP file with a part for each type, table and
// original file, and a manifest at its end with the size and SHA-256 of each part. docs/organisation.md
// describes the format.
//
// Tested by shared/step/export: archives of a database.
package archive

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"time"
)

// Version is the version of the format. It changes if a reader of the former would fail.
const Version = 1

// Kind is the kind of a part.
type Kind string

// The kinds of parts.
const (
	Entities Kind = "entities" // rows of a type, as in an export
	Table    Kind = "table"    // rows of a table
	Changes  Kind = "changes"  // change sets
	File     Kind = "file"     // an original file
)

// Part describes a part in the manifest.
type Part struct {
	Path    string `json:"path"`
	Kind    Kind   `json:"kind"`
	Name    string `json:"name"`    // of the type, table or file
	Records int64  `json:"records"` // lines; 1 for a file
	Bytes   int64  `json:"bytes"`   // uncompressed
	SHA256  string `json:"sha256"`
}

// Skipped is something that the archive does not contain, and the code of the reason.
type Skipped struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	Code string `json:"code"`
}

// Manifest describes an archive. It is stored as manifest.json.
type Manifest struct {
	Format           string    `json:"format"` // FormatName
	Version          int       `json:"version"`
	OrganisationID   int64     `json:"organisationId"`
	OrganisationName string    `json:"organisationName"`
	ExportID         string    `json:"exportId"`
	CreatedAt        time.Time `json:"createdAt"` // of the snapshot of the database
	Parts            []Part    `json:"parts"`
	Skipped          []Skipped `json:"skipped"`
}

// FormatName identifies the format in a manifest.
const FormatName = "loadbay-organisation"

// ManifestPath is the path of the manifest, the last part.
const ManifestPath = "manifest.json"

// Writer writes an archive. The parts are written one after the other.
type Writer struct {
	zip      *zip.Writer
	manifest Manifest
	records  int64
}

// New returns a Writer. The manifest has the members that describe the archive as a whole.
func New(w io.Writer, m Manifest) *Writer {
	m.Format, m.Version, m.Parts, m.Skipped = FormatName, Version, []Part{}, []Skipped{}
	return &Writer{zip: zip.NewWriter(w), manifest: m}
}

// part is the part that is being written.
type part struct {
	io.Writer
	sum  hash.Hash
	size int64
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	p.sum.Write(b[:n])
	p.size += int64(n)
	return n, err
}

// Add writes a part. write returns the number of records. Original files are not compressed again.
func (w *Writer) Add(kind Kind, path, name string, write func(io.Writer) (records int64, err error)) error {
	header := &zip.FileHeader{Name: path, Method: zip.Deflate, Modified: w.manifest.CreatedAt}
	if kind == File {
		header.Method = zip.Store
	}
	entry, err := w.zip.CreateHeader(header)
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	p := &part{Writer: entry, sum: sha256.New()}
	records, err := write(p)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	w.records += records
	w.manifest.Parts = append(w.manifest.Parts, Part{
		Path: path, Kind: kind, Name: name, Records: records, Bytes: p.size, SHA256: hex.EncodeToString(p.sum.Sum(nil)),
	})
	return nil
}

// Skip records what the archive does not contain.
func (w *Writer) Skip(kind Kind, name, code string) {
	w.manifest.Skipped = append(w.manifest.Skipped, Skipped{kind, name, code})
}

// Records returns the number of records of the complete parts.
func (w *Writer) Records() int64 { return w.records }

// Close writes the manifest and completes the archive.
func (w *Writer) Close() error {
	entry, err := w.zip.CreateHeader(&zip.FileHeader{Name: ManifestPath, Method: zip.Deflate, Modified: w.manifest.CreatedAt})
	if err == nil {
		lines := json.NewEncoder(entry)
		lines.SetIndent("", "  ")
		err = lines.Encode(w.manifest)
	}
	if err == nil {
		err = w.zip.Close()
	}
	if err != nil {
		return fmt.Errorf("complete archive: %w", err)
	}
	return nil
}
