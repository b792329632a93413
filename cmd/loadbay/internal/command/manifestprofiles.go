package command

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// declaredProfile is a profile in a manifest: the members of the request that creates it.
type declaredProfile struct {
	name, kind string
	members    map[string]any // without name and importType
}

// parseProfile parses a profile in a manifest. Its mapping is a file relative to the manifest, or the
// mapping itself.
func parseProfile(folder string, entry map[string]any) (declaredProfile, error) {
	var p declaredProfile
	var err error
	if p.name, err = takeString(entry, "name"); err != nil {
		return p, err
	}
	if p.kind, err = takeString(entry, "type"); err != nil {
		return p, err
	}
	p.kind = strings.ToUpper(p.kind)
	for _, own := range []string{"importType", "fromImport"} {
		if _, ok := entry[own]; ok {
			return p, fmt.Errorf("%s is not allowed", own)
		}
	}
	if path, ok := entry["mapping"].(string); ok {
		if entry["mapping"], err = readMapping(resolvePath(folder, path)); err != nil {
			return p, err
		}
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return p, err
	}
	var body api.CreateProfileJSONRequestBody
	if err := decodeStrictly(text, &body); err != nil {
		return p, err
	}
	return p, json.Unmarshal(text, &p.members)
}

// profileChange is what a manifest changes about a profile.
type profileChange struct {
	declared declaredProfile
	existing *api.Profile // nil: it does not exist
	names    []string     // of the members that differ
}

// compareProfile compares a declared profile with the one of the installation.
func compareProfile(ctx context.Context, caller *client.Client, p declaredProfile) (profileChange, error) {
	change := profileChange{declared: p}
	params := &api.ListProfilesParams{ImportType: &p.kind, Name: &p.name}
	for found, err := range client.Pages[api.ProfileSummary](ctx, caller)(caller.API.ListProfiles(ctx, params)) {
		if err != nil {
			return change, err
		}
		if !strings.EqualFold(found.Name, p.name) {
			continue
		}
		if change.existing, err = client.Read[api.Profile](caller.API.GetProfile(ctx, found.ID.String())); err != nil {
			return change, err
		}
		break
	}
	if change.existing == nil {
		return change, nil
	}
	stored := map[string]any{}
	if err := convertJSON(change.existing, &stored); err != nil {
		return change, err
	}
	for name, value := range p.members {
		if !reflect.DeepEqual(withoutEmpty(value), withoutEmpty(stored[name])) {
			change.names = append(change.names, name)
		}
	}
	slices.Sort(change.names)
	return change, nil
}

// withoutEmpty removes what a document may leave out: null and empty lists.
func withoutEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range v {
			if member = withoutEmpty(member); member != nil {
				kept[name] = member
			}
		}
		return kept
	case []any:
		if len(v) == 0 {
			return nil
		}
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = withoutEmpty(v[i])
		}
		return kept
	default:
		return value
	}
}

// describe says what applying the change does; "" means nothing.
func (c *profileChange) describe() string {
	switch {
	case c.existing == nil:
		return "create"
	case len(c.names) > 0:
		return "change " + strings.Join(c.names, ", ")
	default:
		return ""
	}
}

// apply creates or changes the profile.
func (c *profileChange) apply(ctx context.Context, caller *client.Client) error {
	if c.existing == nil {
		body := api.CreateProfileJSONRequestBody{Name: c.declared.name, ImportType: &c.declared.kind}
		if err := convertJSON(c.declared.members, &body); err != nil {
			return err
		}
		return client.Do(caller.API.CreateProfile(ctx, body))
	}
	var body api.UpdateProfileJSONRequestBody
	if err := convertJSON(c.declared.members, &body); err != nil {
		return err
	}
	version := strconv.Quote(strconv.Itoa(c.existing.Version))
	return client.Do(caller.API.UpdateProfile(ctx, c.existing.ID.String(), &api.UpdateProfileParams{IfMatch: version}, body))
}

// applyProfiles applies the declared profiles that differ or, if plan is set, only shows them. It
// returns the names of those that differ, in lower case.
func (a *app) applyProfiles(ctx context.Context, caller *client.Client, declared []declaredProfile, plan bool) (map[string]bool, error) {
	differ := map[string]bool{}
	for _, p := range declared {
		change, err := compareProfile(ctx, caller, p)
		if err != nil {
			return nil, fmt.Errorf("profile %s: %w", p.name, err)
		}
		what := change.describe()
		if what == "" {
			continue
		}
		differ[strings.ToLower(p.name)] = true
		a.report("Profile %s (%s): %s", p.name, p.kind, what)
		if plan {
			continue
		}
		if err := change.apply(ctx, caller); err != nil {
			return nil, fmt.Errorf("profile %s: %w", p.name, err)
		}
	}
	return differ, nil
}
