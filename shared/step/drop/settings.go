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
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/jsontext"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// metadataKey is the name of the object metadata (x-amz-meta-loadbay) that contains the
// settings.
const metadataKey = "loadbay"

// maxSettings is the maximum size of a settings file in bytes.
const maxSettings = 64 << 10

// settings are the import settings from the sender in addition to the location, with the names
// used by POST /api/imports. No person is asked unless the sender requests it.
type settings struct {
	Options json.RawMessage `json:"options"`
	Mapping json.RawMessage `json:"mapping"`
	job.ImportOptions
}

// loadSettings reads the settings of a file from its metadata, or else from the settings object
// next to it, which must have been stored before the file.
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
			return settings{}, problem.New(problem.OptionInvalid, "The settings object of the file has %d bytes; at most %d are allowed.", settingsObject.Size, maxSettings)
		}
		if text, err = s.objects.ReadRange(ctx, object.Version{Key: o.Key + settingsSuffix}, 0, settingsObject.Size); err != nil {
			return settings{}, err
		}
	}
	if member, ok := pgtext.ValidJSON(text); !ok {
		return settings{}, problem.New(problem.OptionInvalid, "The settings contain text that cannot be stored.").With(member, problem.OptionInvalid, pgtext.RuleText)
	}
	given := &settings{}
	if err := jsontext.CheckMembers(text, given); err != nil {
		return settings{}, invalidSettings(err, problem.DescribeJSON(err))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&given); err != nil {
		return settings{}, invalidSettings(err, problem.DescribeJSON(err))
	}
	if _, err := d.Token(); given == nil || !errors.Is(err, io.EOF) {
		return settings{}, invalidSettings(err, "it is null or contains more than one document")
	}
	return *given, nil
}

func invalidSettings(cause error, what string) error {
	return problem.Wrap(cause, problem.OptionInvalid, "The settings are not a valid JSON object: %s.", what).
		With(metadataKey, problem.OptionInvalid, `A JSON object: {"mode":"upsert","options":{"delimiter":";"},"dryRun":true}.`)
}

// isMisplaced reports whether metadata was meant as a setting: the name of a setting, or one that
// begins with our key. Case and hyphens are ignored, because S3 lowers the case and senders add
// hyphens. Other metadata is ignored, and so is a label, which senders use for their own purposes.
func isMisplaced(key string) bool {
	name := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key))
	if len(name) > len(metadataKey) && strings.HasPrefix(name, metadataKey) || name == "options" || name == "mapping" {
		return true
	}
	return name != "label" && slices.ContainsFunc(job.Options(), func(o job.Option) bool { return strings.ToLower(o.Name) == name })
}

// permissions matches file permissions as stored by s3fs and rclone: mode=33188.
var permissions = regexp.MustCompile(`^mode=[0-9]+$`)

// checkMetadata rejects settings in places where they would be ignored.
func checkMetadata(metadata map[string]string) error {
	invalid := problem.New(problem.OptionInvalid, "The metadata of the file contains settings under unsupported names. Put all of them into x-amz-meta-loadbay.")
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if isMisplaced(key) && !permissions.MatchString(key+"="+metadata[key]) {
			invalid.With(key, problem.OptionInvalid, `Set it in the JSON object in loadbay: {"mode":"upsert","dryRun":true}.`)
		}
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}
