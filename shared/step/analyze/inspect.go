package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/content"
	"github.com/loadbay/loadbay/shared/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/source"
)

// findings is what a file shows: most of it in its beginning.
type findings struct {
	version  object.Version
	stated   json.RawMessage // the options, as the job keeps them
	options  sheet.Options   // those of the file
	dialect  *sheet.Dialect
	rows     sheet.Rows       // those that have not been looked at yet, and those of the footer
	last     source.Tail      // of those that have
	footer   int64            // rows of the footer that have been passed over
	whole    bool             // whether all have been looked at
	locales  *value.Survey    // of those that have
	content  *content.Columns // of those that have
	looked   int64            // at how many rows
	asks     bool             // whether a person is asked about the columns
	samples  [][]string       // a few values a column
	nested   []bool           // whether all of them are objects or arrays
	estimate int64            // rows
	profile  *chosen          // that the file is read by; nil for none
	decided  []string         // warnings about what the profile decided
	unfit    []string         // warnings about what a profile or a given mapping says and the file has nothing for
	warnings []string         // of all kinds, for the job
}

const (
	// sampled rows are enough to tell what kind of values a column holds.
	sampled = 50
	// samplesKept are shown to the person who maps the columns.
	samplesKept = 3
	// sampleLength is the most characters of a sample.
	sampleLength = 80
)

// version is what is stored as the job's file, if that is what has arrived.
func (s *Step) version(ctx context.Context, j *job.Job) (object.Version, error) {
	info, err := s.files.Head(ctx, j.ObjectKey)
	if err != nil {
		return object.Version{}, err
	}
	if j.ObjectETag != "" && info.ETag != j.ObjectETag {
		return object.Version{}, problem.New(problem.SourceChanged, "%s", object.Changed)
	}
	return object.Version{Key: j.ObjectKey, Size: info.Size, ETag: info.ETag}, nil
}

// inspect detects the file's dialect and reads its first rows. The caller closes
// those that are left.
func (s *Step) inspect(ctx context.Context, j *job.Job) (*findings, error) {
	var options sheet.Options
	if err := json.Unmarshal(j.Options, &options); err != nil {
		return nil, problem.Because(err, problem.OptionInvalid, "The options of the import cannot be read.")
	}
	version, err := s.version(ctx, j)
	if err != nil {
		return nil, err
	}
	file := s.progress(ctx, j, s.files.Open(ctx, version))
	dialect, err := reader.Detect(ctx, file, options, s.limits)
	if err != nil {
		return nil, err
	}
	if promised := reader.FormatOfName(j.Filename); promised != "" && promised != dialect.Format {
		dialect.Warnings = append(dialect.Warnings, string(problem.WarnFormatMismatch))
	}
	found := &findings{version: version, stated: j.Options, options: options, dialect: dialect, locales: value.NewSurvey(dialect), content: content.NewColumns(len(dialect.Header)), samples: make([][]string, len(dialect.Header)), nested: make([]bool, len(dialect.Header))}
	data := *dialect
	data.FooterRow = 0 // a person may want to see it
	if found.rows, err = reader.Open(ctx, file, &data, s.limits); err != nil {
		return nil, err
	}
	if err := found.sample(version.Size); err != nil {
		return nil, errors.Join(err, found.rows.Close())
	}
	return found, nil
}

// sample reads the first rows of a file of that size.
func (f *findings) sample(size int64) error {
	n, bytes := int64(0), int64(0)
	for n < sampled && f.next() {
		n++
		bytes += f.add(f.rows.Row())
		f.addContent(f.rows.Row())
	}
	if err := f.rows.Err(); err != nil {
		return fmt.Errorf("read the first rows: %w", err)
	}
	f.estimate = n
	if n == sampled && f.dialect.Format.Text() && bytes > 0 {
		f.estimate = max(n, (size-f.dialect.DataOffset)*n/bytes)
	}
	return nil
}

// next goes to the next row of the data.
func (f *findings) next() bool {
	for f.rows.Next() {
		r := f.rows.Row()
		f.last.Add(r)
		if f.dialect.FooterRow == 0 || r.Number < f.dialect.FooterRow {
			return true
		}
		f.footer++
	}
	f.whole = f.rows.Err() == nil
	return false
}

// add takes samples from a row and returns about how many bytes it has.
func (f *findings) add(r *sheet.Row) int64 {
	f.locales.Add(r)
	bytes := int64(len(r.Cells)) // a delimiter or line end each
	for i, c := range r.Cells {
		bytes += int64(len(c.Bytes))
		if i < len(f.samples) && len(f.samples[i]) < sampled && len(c.Bytes) > 0 {
			f.nested[i] = c.Kind == sheet.JSON && (f.nested[i] || len(f.samples[i]) == 0)
			f.samples[i] = append(f.samples[i], cut(string(c.Shown())))
		}
	}
	return bytes
}

func cut(s string) string {
	if r := []rune(s); len(r) > sampleLength {
		return string(r[:sampleLength]) + "…"
	}
	return s
}
