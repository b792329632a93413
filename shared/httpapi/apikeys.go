package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/organisation/apikey"
	"github.com/loadbay/loadbay/shared/problem"
)

// keyRoutes lists the operations on the API keys of an organisation.
func (a *api) keyRoutes() []route {
	const path = "/api/settings/api-keys"
	return []route{
		{"GET", path, scopeImportsRead, withoutQuery(a.listKeys)},
		{"POST", path, scopeSettingsWrite, withoutQuery(a.createKey)},
		{"POST", path + "/{keyId}/rotate", scopeSettingsWrite, withoutQuery(a.rotateKey)},
		{"DELETE", path + "/{keyId}", scopeSettingsWrite, withoutQuery(a.revokeKey)},
	}
}

// keyDocument is the JSON form of an API key. The key itself is included only in the response to the
// request that created or rotated it.
type keyDocument struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Scopes        []string   `json:"scopes"`
	Key           string     `json:"key,omitempty"`
	CreatedBy     *string    `json:"createdBy"`
	CreatedAt     time.Time  `json:"createdAt"`
	RotatedAt     *time.Time `json:"rotatedAt"`
	PreviousUntil *time.Time `json:"previousUntil"`
	ExpiresAt     time.Time  `json:"expiresAt"`
	LastUsedAt    *time.Time `json:"lastUsedAt"`
	RevokedAt     *time.Time `json:"revokedAt"`
	RevokedBy     *string    `json:"revokedBy"`
}

func toKey(k *apikey.Key, shown string) keyDocument {
	return keyDocument{
		ID: k.ID, Name: k.Name, Scopes: k.Scopes, Key: shown, CreatedBy: nilIfZero(k.CreatedBy), CreatedAt: k.CreatedAt.UTC(),
		RotatedAt: utcOrNil(k.RotatedAt), PreviousUntil: utcOrNil(k.PreviousUntil), ExpiresAt: k.ExpiresAt.UTC(),
		LastUsedAt: utcOrNil(k.LastUsedAt), RevokedAt: utcOrNil(k.RevokedAt), RevokedBy: nilIfZero(k.RevokedBy),
	}
}

// Limits of the list: keys that are no longer accepted are deleted after oldKeys.
const (
	maxListedKeys = 500
	oldKeys       = 90 * 24 * time.Hour
)

// listKeys is GET /api/settings/api-keys.
func (a *api) listKeys(w http.ResponseWriter, r *http.Request) error {
	var found []apikey.Key
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, err = a.DB.Keys(ctx, tx, organisationOf(r), maxListedKeys)
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]keyDocument, len(found))
	for i := range found {
		documents[i] = toKey(&found[i], "")
	}
	return writeJSON(w, http.StatusOK, documents)
}

// keyNames are the names of keys: they appear as callers in lists and logs.
var keyNames = regexp.MustCompile(`^[\pL\pN][\pL\pN ._/-]{0,98}[\pL\pN]$|^[\pL\pN]$`)

// createKey is POST /api/settings/api-keys. A key has only scopes that its creator has.
func (a *api) createKey(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name          string   `json:"name"`
		Scopes        []string `json:"scopes"`
		ExpiresInDays *int     `json:"expiresInDays"`
	}
	if err := readJSON(r, &body, maxDocument); err != nil {
		return err
	}
	v := newValues(nil)
	if !keyNames.MatchString(body.Name) {
		v.addError("name", "1 to 100 letters, digits, spaces and . _ / -, with a letter or digit at both ends.")
	}
	slices.Sort(body.Scopes)
	body.Scopes = slices.Compact(body.Scopes)
	if len(body.Scopes) == 0 {
		v.addError("scopes", "At least one scope, such as imports:write.")
	}
	days := v.keyDays(body.ExpiresInDays)
	if err := v.err(); err != nil {
		return err
	}
	if err := a.mayGrant(r, body.Scopes); err != nil {
		return err
	}
	token := apikey.NewToken(organisationOf(r), uuid.New())
	var made *apikey.Key
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		if err := a.checkKeyCount(ctx, tx, token); err != nil {
			return err
		}
		made, err = a.DB.AddKey(ctx, tx, token, body.Name, body.Scopes, callerName(r), days)
		return err
	})
	if err != nil {
		return err
	}
	a.auditKey(r, "API key created", made)
	return writeJSON(w, http.StatusCreated, toKey(made, token.Text()))
}

// keyDays returns the lifetime of a key.
func (v *values) keyDays(requested *int) int {
	if requested == nil {
		return apikey.DefaultDays
	}
	if *requested < 1 || *requested > apikey.MaxDays {
		v.addError("expiresInDays", fmt.Sprintf("A number from 1 to %d.", apikey.MaxDays))
	}
	return *requested
}

// checkKeyCount deletes old keys, and refuses another one above the limit.
func (a *api) checkKeyCount(ctx context.Context, tx pgx.Tx, t apikey.Token) error {
	if err := a.DB.LockQuotas(ctx, tx, t.Organisation); err != nil {
		return err
	}
	if err := a.DB.DeleteOldKeys(ctx, tx, t.Organisation, oldKeys); err != nil {
		return err
	}
	active, err := a.DB.CountKeys(ctx, tx, t.Organisation)
	if err == nil && active >= apikey.MaxActive {
		return problem.New(problem.TooManyKeys, "An organisation can have at most %d API keys. Revoke one that is not used.", apikey.MaxActive)
	}
	return err
}

// mayGrant refuses scopes that the caller does not have, and callers that are API keys themselves:
// they could otherwise outlive their expiry.
func (a *api) mayGrant(r *http.Request, scopes []string) error {
	if strings.HasPrefix(callerName(r), apikey.SubjectPrefix) {
		return problem.New(problem.ScopeRequired, "An API key cannot create or rotate API keys. Sign in as a person.")
	}
	for _, scope := range scopes {
		if !slices.Contains(a.organisationScopes(), scope) {
			return problem.New(problem.ParameterInvalid, "A scope does not exist.").
				With("scopes", problem.ParameterInvalid, "Some of "+strings.Join(a.organisationScopes(), ", ")+".")
		}
		if !a.Auth.Claims.hold(claimsOf(r), scope) {
			return problem.New(problem.ScopeRequired, "You can only grant scopes that you have, and you do not have %s.", scope)
		}
	}
	return nil
}

// organisationScopes returns the scopes of all operations except the operator's.
func (a *api) organisationScopes() []string {
	var scopes []string
	for _, r := range a.routes() {
		if r.scope != "" && r.scope != scopeOperator && !slices.Contains(scopes, r.scope) {
			scopes = append(scopes, r.scope)
		}
	}
	slices.Sort(scopes)
	return scopes
}

// rotateKey is POST /api/settings/api-keys/{keyId}/rotate. The former key is accepted for a day.
func (a *api) rotateKey(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		ExpiresInDays *int `json:"expiresInDays"`
	}
	if r.ContentLength != 0 {
		if err := readJSON(r, &body, maxDocument); err != nil {
			return err
		}
	}
	v := newValues(nil)
	days := v.keyDays(body.ExpiresInDays)
	if err := v.err(); err != nil {
		return err
	}
	id, err := uuid.Parse(r.PathValue("keyId"))
	if err != nil {
		return keyNotFound()
	}
	token := apikey.NewToken(organisationOf(r), id)
	var rotated *apikey.Key
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		stored, err := a.DB.Key(ctx, tx, token.Organisation, id.String())
		if err == nil && stored == nil {
			err = keyNotFound()
		}
		if err == nil {
			err = a.mayGrant(r, stored.Scopes)
		}
		if err == nil {
			rotated, err = a.DB.RotateKey(ctx, tx, token, callerName(r), days, apikey.Overlap)
		}
		return err
	})
	if err != nil {
		return err
	}
	a.auditKey(r, "API key rotated", rotated)
	return writeJSON(w, http.StatusOK, toKey(rotated, token.Text()))
}

// revokeKey is DELETE /api/settings/api-keys/{keyId}. The key is refused from then on.
func (a *api) revokeKey(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("keyId"))
	if err != nil {
		return keyNotFound()
	}
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		ok, err := a.DB.RevokeKey(ctx, tx, organisationOf(r), id.String(), callerName(r))
		if err == nil && !ok {
			err = keyNotFound()
		}
		return err
	})
	if err != nil {
		return err
	}
	a.auditKey(r, "API key revoked", &apikey.Key{ID: id.String()})
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func keyNotFound() error {
	return problem.New(problem.NotFound, "No API key with this ID exists, or it was revoked.")
}

// auditKey logs a change of a key.
func (a *api) auditKey(r *http.Request, action string, k *apikey.Key) {
	a.Log.InfoContext(r.Context(), "audit", "action", action, "by", callerName(r), "organisation", organisationOf(r), "key_id", k.ID, "scopes", strings.Join(k.Scopes, " "))
}
