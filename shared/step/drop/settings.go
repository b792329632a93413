package drop

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/loadbay/loadbay/shared/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/storable"
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
	AutoStart bool            `json:"autoStart"`
	DryRun    bool            `json:"dryRun"`
	RetryOf   string          `json:"retryOf"`
}

// settingsOf reads the settings of a file: from its metadata, or else from the
// object next to it, which must have been there first.
func (s *Step) settingsOf(ctx context.Context, o object.Created, metadata map[string]string) (settings, error) {
	text := []byte(metadata[metadataKey])
	if len(text) == 0 {
		settingsObject, err := s.objects.Head(ctx, o.Key+settingsSuffix)
		if problem.CodeOf(err) == problem.UploadMissing {
			return settings{AutoStart: true}, nil
		}
		if err != nil {
			return settings{}, err
		}
		if settingsObject.Size > maxSettings {
			return settings{}, problem.New(problem.OptionInvalid, "The settings next to the file have %d bytes; they may have %d.", settingsObject.Size, maxSettings)
		}
		if text, err = s.objects.Range(ctx, o.Key+settingsSuffix, 0, settingsObject.Size); err != nil {
			return settings{}, err
		}
	}
	if member, ok := storable.JSON(text); !ok {
		return settings{}, problem.New(problem.OptionInvalid, "The settings hold what no text may hold.").With(member, problem.OptionInvalid, storable.Rule)
	}
	given := settings{AutoStart: true}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&given); err != nil {
		return settings{}, problem.Because(err, problem.OptionInvalid, "The settings must be a JSON object: %s.", problem.JSON(err))
	}
	return given, nil
}
