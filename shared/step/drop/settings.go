package drop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// metadataKey is the name of an object's metadata (x-amz-meta-loadbay) that
// holds its settings.
const metadataKey = "loadbay"

// maxSettings is the most bytes of a file of settings.
const maxSettings = 64 << 10

// settings are what the sender says of an import in addition to its place, with the
// names that POST /api/imports has for them. No person is asked unless the sender
// wants that.
type settings struct {
	Mode      string          `json:"mode"`
	Options   json.RawMessage `json:"options"`
	Mapping   json.RawMessage `json:"mapping"`
	AutoStart *bool           `json:"autoStart"` // nil: as Review says
	Review    job.Review      `json:"review"`
	DryRun    bool            `json:"dryRun"`
	RetryOf   string          `json:"retryOf"`
	Profile   string          `json:"profile"`
	Label     string          `json:"label"`
	MaxErrors job.ErrorLimit  `json:"maxErrors"`
	Notify    []string        `json:"notify"`
	Plan      bool            `json:"plan"`
	Approval  job.Approval    `json:"approval"`
	Guards    *job.Guards     `json:"guards"`
}

// loadSettings reads the settings of a file: from its metadata, or else from the
// object next to it, which must have been there first.
func (s *Step) loadSettings(ctx context.Context, o object.Created, metadata map[string]string) (settings, error) {
	if err := checkMetadata(metadata); err != nil {
		return settings{}, err
	}
	inMetadata, has := metadata[metadataKey]
	text := []byte(inMetadata)
	if !has {
		settingsObject, err := s.objects.Head(ctx, o.Key+settingsSuffix)
		if problem.CodeOf(err) == problem.UploadMissing {
			return settings{}, nil
		}
		if err != nil {
			return settings{}, err
		}
		if settingsObject.Size > maxSettings {
			return settings{}, problem.New(problem.OptionInvalid, "The settings next to the file have %d bytes; they may have %d.", settingsObject.Size, maxSettings)
		}
		if text, err = s.objects.ReadRange(ctx, object.Version{Key: o.Key + settingsSuffix}, 0, settingsObject.Size); err != nil {
			return settings{}, err
		}
	}
	if member, ok := pgtext.ValidJSON(text); !ok {
		return settings{}, problem.New(problem.OptionInvalid, "The settings hold what no text may hold.").With(member, problem.OptionInvalid, pgtext.RuleText)
	}
	given := &settings{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&given); err != nil {
		return settings{}, invalidSettings(err, problem.DescribeJSON(err))
	}
	if _, err := d.Token(); given == nil || !errors.Is(err, io.EOF) {
		return settings{}, invalidSettings(err, "it is null, or something follows it")
	}
	return *given, nil
}

// autoStart reports whether nobody is asked.
func (s *settings) autoStart() bool {
	if s.AutoStart != nil {
		return *s.AutoStart
	}
	return s.Review == "" || s.Review == job.ReviewNever
}

func invalidSettings(cause error, what string) error {
	return problem.Wrap(cause, problem.OptionInvalid, "The settings are not the JSON object that is expected: %s.", what).
		With(metadataKey, problem.OptionInvalid, `A JSON object: {"mode":"upsert","options":{"delimiter":";"},"dryRun":true}.`)
}

// misplacedSetting is metadata that was meant as a setting: a setting's own name, or
// one that begins with ours. Case and hyphens do not matter, as S3 lowers the one
// and senders add the others. What else a sender keeps with its objects is no
// business of ours.
var misplacedSetting = regexp.MustCompile(`^(?i:loadbay.+|mode|options|mapping|auto[-_]?start|review|dry[-_]?run|retry[-_]?of|profile|max[-_]?errors|notify)$`)

// permissions are those of a file as s3fs and rclone keep them: mode=33188.
var permissions = regexp.MustCompile(`^mode=[0-9]+$`)

// checkMetadata refuses settings that stand where they would not be read.
func checkMetadata(metadata map[string]string) error {
	invalid := problem.New(problem.OptionInvalid, "The metadata of the file holds settings where they are not read. They belong in x-amz-meta-loadbay, together.")
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if misplacedSetting.MatchString(key) && !permissions.MatchString(key+"="+metadata[key]) {
			invalid.With(key, problem.OptionInvalid, `A member of the JSON object in loadbay: {"mode":"upsert","dryRun":true}.`)
		}
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}
