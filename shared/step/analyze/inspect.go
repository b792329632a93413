package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/content"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// findings are the results of analysing a file, mostly from its beginning.
type findings struct {
	version      object.Version
	stated       json.RawMessage // reading options stored with the job
	options      sheet.Options   // reading options used for the file
	dialect      *sheet.Dialect
	rows         sheet.Rows       // the remaining rows, including the footer
	last         reading.Tail     // last rows read so far
	footer       int64            // number of skipped footer rows
	complete     bool             // whether all rows were read
	locales      *value.Survey    // of the rows read so far
	content      *content.Columns // of the rows read so far
	scanned      int64            // number of rows read so far
	undecided    error            // why the columns cannot be confirmed without a person; nil if they can
	needsReview  bool             // whether a person is asked about the columns
	samples      *columnmatch.Samples
	estimate     int64          // estimated number of rows
	profile      *chosenProfile // profile applied to the file; nil for none
	decisions    []string       // warnings about the profile's decisions
	sheetChoice  []string       // warning that another sheet than the first was read
	unreadSheets []string       // warnings about other sheets with rows
	misfits      []string       // warnings about parts of a profile or supplied mapping that match nothing in the file
	warnings     []string       // all warnings, for the job
	unclear      error          // why a field has no column although the file seems to have one
}

// fileVersion returns the stored version of the job's file, if it is the one that has arrived.
func (s *Step) fileVersion(ctx context.Context, j *job.Job) (object.Version, error) {
	info, err := s.files.Head(ctx, j.ObjectKey)
	if err != nil {
		return object.Version{}, err
	}
	if j.ObjectETag != "" && info.ETag != j.ObjectETag {
		return object.Version{}, problem.New(problem.SourceChanged, "%s", object.SourceChangedMessage)
	}
	return object.Version{Key: j.ObjectKey, Size: info.Size, ETag: info.ETag}, nil
}

// inspect detects the file's dialect and reads its first rows. The caller closes the remaining
// rows.
func (s *Step) inspect(ctx context.Context, j *job.Job) (*findings, error) {
	var options sheet.Options
	if err := json.Unmarshal(j.Options, &options); err != nil {
		return nil, problem.Wrap(err, problem.OptionInvalid, "The options of the import are not valid.")
	}
	version, err := s.fileVersion(ctx, j)
	if err != nil {
		return nil, err
	}
	file := s.watchProgress(ctx, j, s.files.Open(ctx, version))
	dialect, err := reader.Detect(ctx, file, options, s.limits)
	if err != nil {
		return nil, err
	}
	if promised := reader.FormatFromName(j.Filename); promised != "" && promised != dialect.Format {
		dialect.Warnings = append(dialect.Warnings, string(problem.FormatMismatch))
	}
	found := &findings{version: version, stated: j.Options, options: options, dialect: dialect, locales: value.NewSurvey(dialect), content: content.NewColumns(len(dialect.Header)), samples: columnmatch.NewSamples(len(dialect.Header))}
	data := *dialect
	data.FooterRow = 0 // a person may want to see the footer
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
	for n < columnmatch.SampledRows && f.next() {
		n++
		r := f.rows.Row()
		f.locales.Add(r)
		bytes += f.samples.Add(r)
		f.addContent(r)
	}
	if err := f.rows.Err(); err != nil {
		return fmt.Errorf("read the first rows: %w", err)
	}
	f.estimate = n
	if n == columnmatch.SampledRows && f.dialect.Format.IsText() && bytes > 0 {
		f.estimate = max(n, (size-f.dialect.DataOffset)*n/bytes)
	}
	return nil
}

// next advances to the next row of the data.
func (f *findings) next() bool {
	for f.rows.Next() {
		r := f.rows.Row()
		f.last.Add(r)
		if f.dialect.FooterRow == 0 || r.Number < f.dialect.FooterRow {
			return true
		}
		f.footer++
	}
	f.complete = f.rows.Err() == nil
	return false
}
