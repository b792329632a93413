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
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// ReferenceStore looks up what requests refer to.
type ReferenceStore interface {
	Exists(ctx context.Context, tx pgx.Tx, table string, id int64) (bool, error)
	// OptionValue returns the result of an option's query (entity.Option.Own) for a text; "" for
	// no result.
	OptionValue(ctx context.Context, tx pgx.Tx, query, text string) (string, error)
}

// check fills in omitted members and returns the request's errors, as far as the request
// alone shows them.
func (s *Service) check(r *Request) error {
	if err := r.parseRetryOf(); err != nil {
		return err
	}
	r.oneShot = r.StartsAutomatically()
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
	if err := r.checkRules(); err != nil {
		return err
	}
	if err := r.checkReview(); err != nil {
		return err
	}
	if err := r.checkContextPresence(); err != nil {
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

// StartsAutomatically reports whether the import starts without a review: as the request says, or
// if nobody attends it, unless the request wants a review of the columns.
func (r *Request) StartsAutomatically() bool {
	switch {
	case r.AutoStart != nil:
		return *r.AutoStart
	case r.SkipMapping != nil && *r.SkipMapping:
		return true
	case r.Review != "" && r.Review != job.ReviewNever:
		return false
	}
	return r.Unattended
}

// checkRules checks the values of the options.
func (r *Request) checkRules() error {
	invalid := problem.New(problem.ParameterInvalid, "Some parameters are not valid.")
	r.CheckRules(func(ok bool, field, rule string) {
		if !ok {
			invalid.With(field, problem.ParameterInvalid, rule)
		}
	})
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

// checkRecipients rejects addresses that the organisation does not allow as recipients.
func (r *Request) checkRecipients(own *settings.Settings, mails bool) error {
	if rule := own.RecipientRule(r.Notify, mails); rule != "" {
		return problem.New(problem.ParameterInvalid, "Some recipients are not allowed.").With("notify", problem.ParameterInvalid, rule)
	}
	return nil
}

// checkSkipMapping checks whether the phases in which people decide can be skipped.
func (r *Request) checkSkipMapping() error {
	switch {
	case r.SkipMapping == nil || !*r.SkipMapping:
		return nil
	case !r.Type.WholeFile:
		return problem.New(problem.ParameterInvalid, "Imports of %s cannot skip the questions about columns and values.", r.Type.Title).
			With("skipMappingPhases", problem.ParameterInvalid, "Omit it, or set autoStart to true.")
	case !r.oneShot:
		return problem.New(problem.ParameterInvalid, "An import that skips the questions must start automatically.").
			With("autoStart", problem.ParameterInvalid, "Set it to true, or omit it.")
	}
	return nil
}

// skipsMapping reports whether the import skips the decisions about columns and values. By
// default it does if its file is processed as a whole and nobody is asked anyway, unless a
// mapping or a profile contains value entries, which are applied in those phases.
func (r *Request) skipsMapping() bool {
	if r.SkipMapping != nil {
		return *r.SkipMapping
	}
	return r.Type.WholeFile && r.oneShot && r.Mapping == nil && r.Profile == ""
}

// checkReview checks when a person is asked about columns. AutoStart excludes any review.
func (r *Request) checkReview() error {
	switch {
	case r.oneShot && r.Review != "" && r.Review != job.ReviewNever:
		return problem.New(problem.ParameterInvalid,
			"An import that starts automatically cannot have its columns reviewed.").
			With("review", problem.ParameterInvalid, "Set it to never, or omit autoStart.")
	case r.oneShot:
		r.Review = "" // implied by AutoStart, and keeps the fingerprint equal to that of requests without it
	}
	return nil
}

func (r *Request) checkContextPresence() error {
	switch parent := r.Type.Context; {
	case parent == nil && r.ContextID != nil:
		return problem.New(problem.ContextInvalid, "%s do not have a context.", r.Type.Title).
			With(r.contextName(), problem.ContextInvalid, "Omit this parameter.")
	case parent != nil && r.ContextID == nil:
		return problem.New(problem.ContextInvalid, "Select the %s that the rows belong to.", parent.Title).
			With(r.contextName(), problem.ContextInvalid, r.contextRule())
	}
	return nil
}

func (r *Request) contextName() string { return cmp.Or(r.ContextName, "contextId") }

// contextRule describes what the context must be.
func (r *Request) contextRule() string {
	return fmt.Sprintf("The ID of a %s, such as 12.", r.Type.Context.Title)
}

// checkContext looks up the context of the rows.
func (s *Service) checkContext(ctx context.Context, tx pgx.Tx, r *Request) error {
	if r.ContextID == nil {
		return nil
	}
	exists, err := s.store.Exists(ctx, tx, r.Type.Context.Table, *r.ContextID)
	if err == nil && !exists {
		return problem.New(problem.NotFound, "No %s with ID %d exists.", r.Type.Context.Title, *r.ContextID).
			With(r.contextName(), problem.NotFound, r.contextRule())
	}
	return err
}

// OrganisationExists reports whether an organisation with this id exists.
func (s *Service) OrganisationExists(ctx context.Context, id tenant.ID) (known bool, err error) {
	err = s.store.InOrganisation(ctx, id, func(tx pgx.Tx) (err error) {
		known, err = s.store.Exists(ctx, tx, "organisations", int64(id))
		return err
	})
	return known, err
}

// checkOptions returns the options in their stored form: those of the file and the type's
// own, known ones only, in a fixed order.
func checkOptions(decl *entity.Declaration, given json.RawMessage) (json.RawMessage, error) {
	kept := make(map[string]json.RawMessage)
	if len(given) > 0 {
		if member, ok := pgtext.ValidJSON(given); !ok {
			return nil, problem.New(problem.OptionInvalid, "The options contain text that cannot be stored.").With(member, problem.OptionInvalid, pgtext.RuleText)
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
			return nil, fmt.Errorf("encode option %s: %w", name, err)
		}
	}
	text, err := json.Marshal(kept) // ordered by name
	if err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	return text, nil
}

// checkFileOptions returns the options of the file without the unset ones.
func checkFileOptions(given map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(given)
	if err != nil {
		return nil, fmt.Errorf("read options: %w", err)
	}
	var options sheet.Options
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&options); err != nil {
		return nil, problem.Wrap(err, problem.OptionInvalid, "The options must be a JSON object with reading options: %s.", problem.DescribeJSON(err))
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(options); err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
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
		return problem.New(problem.FileTooLarge, "The file is too large: at most %d MB are allowed, and it has %d bytes.", s.limits.FileBytes>>20, f.Size)
	}
	f.SHA256 = strings.ToLower(f.SHA256)
	if f.SHA256 != "" && !hexSHA256.MatchString(f.SHA256) {
		return problem.New(problem.ParameterInvalid, "The checksum of the file is not a hexadecimal SHA-256.").
			With("sha256", problem.ParameterInvalid, "64 hexadecimal digits.")
	}
	if f.Body != nil {
		sum := sha256.Sum256(f.Body)
		actual := hex.EncodeToString(sum[:])
		if f.SHA256 != "" && f.SHA256 != actual {
			return problem.New(problem.ChecksumMismatch, "The file does not match the announced checksum.")
		}
		f.SHA256 = actual
	}
	f.ContentType = mediaType(f.ContentType)
	return nil
}

// maxFilename is the maximum length of a filename in characters.
const maxFilename = 255

// checkFilename accepts any text that can be shown on one line: the name is a label
// and never becomes part of a path or of a key.
func checkFilename(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return invalidFilename("The file has no name.")
	case !pgtext.ValidText(name), strings.ContainsFunc(name, unicode.IsControl):
		return invalidFilename("The file's name contains control characters, or is not UTF-8.")
	case utf8.RuneCountInString(name) > maxFilename:
		return invalidFilename("The file's name is longer than 255 characters.")
	}
	return nil
}

func invalidFilename(message string) error {
	return problem.New(problem.FilenameInvalid, "%s", message).With("filename", problem.FilenameInvalid, message)
}

// mediaType returns the caller's content type if it is valid. It is only a label: the type
// of a file is detected from its content.
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
