package submit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// ReferenceStore knows what requests refer to.
type ReferenceStore interface {
	Exists(ctx context.Context, tx pgx.Tx, table string, id int64) (bool, error)
	// OwnValue is what a query of an option (entity.Option.Own) yields for a text; "" for
	// nothing.
	OptionValue(ctx context.Context, tx pgx.Tx, query, text string) (string, error)
}

// check fills in what the request leaves out and returns what is wrong with it, as far
// as the request alone shows it.
func (s *Service) check(r *Request) error {
	if r.modeOmitted = r.Mode == ""; r.modeOmitted {
		r.Mode = r.Type.Modes[0]
	}
	if !r.Type.Allows(r.Mode) {
		return problem.New(problem.ModeInvalid, "%s cannot be imported in mode %q.", r.Type.Title, entity.Shorten(string(r.Mode))).
			With("mode", problem.ModeInvalid, problem.OneOf(r.Type.Modes))
	}
	if err := r.checkSkipMapping(); err != nil {
		return err
	}
	if err := r.checkReview(); err != nil {
		return err
	}
	if err := r.checkContextPresence(); err != nil {
		return err
	}
	if err := r.checkMetadata(); err != nil {
		return err
	}
	if err := r.checkPlanning(); err != nil {
		return err
	}
	options, err := checkOptions(r.Type, r.Options)
	if err != nil {
		return err
	}
	if r.Options, err = r.parseMapping(options); err != nil {
		return err
	}
	if r.SourceURL != "" {
		return r.checkSourceURL()
	}
	return s.checkFile(&r.File)
}

// checkSkipMapping looks at whether the phases in which people are asked can be skipped.
func (r *Request) checkSkipMapping() error {
	switch {
	case r.SkipMapping == nil || !*r.SkipMapping:
		return nil
	case !r.Type.WholeFile:
		return problem.New(problem.ParameterInvalid, "Imports of %s do not skip what is asked about columns and values.", r.Type.Title).
			With("skipMappingPhases", problem.ParameterInvalid, "Leave it out, or ask nobody with autoStart.")
	case !r.AutoStart:
		return problem.New(problem.ParameterInvalid, "An import that skips what is asked cannot ask.").
			With("autoStart", problem.ParameterInvalid, "Either true, or left out.")
	}
	return nil
}

// skipsMapping reports whether the import goes past what is asked about columns and
// values: by default where its file is read as one and nobody is asked anyway, unless
// a mapping or a profile says what values stand for, which is found out in those phases.
func (r *Request) skipsMapping() bool {
	if r.SkipMapping != nil {
		return *r.SkipMapping
	}
	return r.Type.WholeFile && r.AutoStart && r.Mapping == nil && r.Profile == ""
}

// checkReview looks at when a person is to be asked about columns. Who wants nobody to be
// asked at all cannot want somebody to be asked about them.
func (r *Request) checkReview() error {
	switch {
	case r.Review != "" && !r.Review.Valid():
		return problem.New(problem.ParameterInvalid, "There is no such review of columns.").
			With("review", problem.ParameterInvalid, problem.OneOf(job.Reviews[:]))
	case r.AutoStart && r.Review != "" && r.Review != job.ReviewNever:
		return problem.New(problem.ParameterInvalid, "An import that asks nobody has no columns reviewed.").
			With("review", problem.ParameterInvalid, "Either never, or autoStart left out.")
	case r.AutoStart:
		r.Review = "" // it goes without saying, and fits the keys of requests that do not say it
	}
	return nil
}

func (r *Request) checkContextPresence() error {
	switch parent := r.Type.Context; {
	case parent == nil && r.ContextID != nil:
		return problem.New(problem.ContextInvalid, "%s belong to nothing that could be named here.", r.Type.Title).
			With(r.contextName(), problem.ContextInvalid, "Leave it out.")
	case parent != nil && r.ContextID == nil:
		return problem.New(problem.ContextInvalid, "Say to which %s the rows belong.", parent.Title).
			With(r.contextName(), problem.ContextInvalid, r.contextRule())
	}
	return nil
}

func (r *Request) contextName() string { return cmp.Or(r.ContextName, "contextId") }

// contextRule says what the context must be.
func (r *Request) contextRule() string {
	return fmt.Sprintf("The id of a %s, a number: 12.", r.Type.Context.Title)
}

// checkContext looks for what the rows are to belong to.
func (s *Service) checkContext(ctx context.Context, r Request) error {
	if r.ContextID == nil {
		return nil
	}
	var exists bool
	err := s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		exists, err = s.store.Exists(ctx, tx, r.Type.Context.Table, *r.ContextID)
		return err
	})
	if err == nil && !exists {
		return problem.New(problem.NotFound, "There is no %s with the id %d.", r.Type.Context.Title, *r.ContextID).
			With(r.contextName(), problem.NotFound, r.contextRule())
	}
	return err
}

// OrganisationExists reports whether there is an organisation with this id.
func (s *Service) OrganisationExists(ctx context.Context, id tenant.ID) (known bool, err error) {
	err = s.store.InOrganisation(ctx, id, func(tx pgx.Tx) (err error) {
		known, err = s.store.Exists(ctx, tx, "organisations", int64(id))
		return err
	})
	return known, err
}

// checkOptions returns the options as they are kept: those of the file and the
// type's own, known ones only, in a fixed order.
func checkOptions(decl *entity.Declaration, given json.RawMessage) (json.RawMessage, error) {
	kept := make(map[string]json.RawMessage)
	if len(given) > 0 {
		if member, ok := pgtext.ValidJSON(given); !ok {
			return nil, problem.New(problem.OptionInvalid, "The options hold what no text may hold.").With(member, problem.OptionInvalid, pgtext.RuleText)
		}
		if err := json.Unmarshal(given, &kept); err != nil {
			return nil, problem.Wrap(err, problem.OptionInvalid, "The options must be one JSON object: %s.", problem.DescribeJSON(err))
		}
	}
	settings, err := decl.ExtractSettings(kept)
	if err != nil {
		return nil, err
	}
	if kept, err = checkFileOptions(kept); err != nil {
		return nil, err
	}
	for name, value := range settings {
		if kept[name], err = json.Marshal(value); err != nil {
			return nil, fmt.Errorf("keep option %s: %w", name, err)
		}
	}
	text, err := json.Marshal(kept) // in the order of the names
	if err != nil {
		return nil, fmt.Errorf("keep options: %w", err)
	}
	return text, nil
}

// checkFileOptions returns the options of the file without those that say nothing.
func checkFileOptions(given map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(given)
	if err != nil {
		return nil, fmt.Errorf("read options: %w", err)
	}
	var options sheet.Options
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&options); err != nil {
		return nil, problem.Wrap(err, problem.OptionInvalid, "The options must be a JSON object with options of the file: %s.", problem.DescribeJSON(err))
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(options); err != nil {
		return nil, fmt.Errorf("keep options: %w", err)
	}
	kept := make(map[string]json.RawMessage)
	return kept, json.Unmarshal(text, &kept)
}

var hexSHA256 = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (s *Service) checkFile(f *File) error {
	if err := checkFilename(f.Name); err != nil {
		return err
	}
	if f.Body != nil {
		f.Size = int64(len(f.Body))
	}
	if f.Size <= 0 {
		return problem.New(problem.FileEmpty, "The file is empty.")
	}
	if f.Size > s.limits.FileBytes {
		return problem.New(problem.FileTooLarge, "A file may have %d MB; this one has %d bytes.", s.limits.FileBytes>>20, f.Size)
	}
	f.SHA256 = strings.ToLower(f.SHA256)
	if f.SHA256 != "" && !hexSHA256.MatchString(f.SHA256) {
		return problem.New(problem.ParameterInvalid, "The checksum of the file is not a SHA-256 in hexadecimal.").
			With("sha256", problem.ParameterInvalid, "64 hexadecimal digits.")
	}
	if f.Body != nil {
		sum := sha256.Sum256(f.Body)
		actual := hex.EncodeToString(sum[:])
		if f.SHA256 != "" && f.SHA256 != actual {
			return problem.New(problem.ChecksumMismatch, "The file does not have the checksum that was announced.")
		}
		f.SHA256 = actual
	}
	f.ContentType = mediaType(f.ContentType)
	return nil
}

// maxFilename is the most characters of a filename.
const maxFilename = 255

// checkFilename takes whatever can be shown on one line: the name is a label
// and never becomes part of a path or of a key.
func checkFilename(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return invalidFilename("The file has no name.")
	case !pgtext.ValidText(name), strings.ContainsFunc(name, unicode.IsControl):
		return invalidFilename("The file's name holds characters that cannot be shown.")
	case utf8.RuneCountInString(name) > maxFilename:
		return invalidFilename("The file's name is longer than 255 characters.")
	}
	return nil
}

func invalidFilename(message string) error {
	return problem.New(problem.FilenameInvalid, "%s", message).With("filename", problem.FilenameInvalid, message)
}

// mediaType is the caller's content type if it is one. It is a label too: what
// a file is shows in its content.
func mediaType(given string) string {
	const unknown = "application/octet-stream"
	if given == "" || len(given) > maxFilename {
		return unknown
	}
	kind, params, err := mime.ParseMediaType(given)
	if err != nil {
		return unknown
	}
	if formatted := mime.FormatMediaType(kind, params); formatted != "" {
		return formatted
	}
	return unknown
}
