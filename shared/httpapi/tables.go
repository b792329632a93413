package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/imports/adopt"
	"github.com/loadbay/loadbay/shared/problem"
)

// Page sizes of tables, each of which is read from the catalogue.
const (
	tablesPage    = 20
	maxTablesPage = 50
)

// tableRoutes lists the operations on tables that types can be declared for.
func (a *api) tableRoutes() []route {
	return []route{
		{"GET", "/api/tables", scopeTypesWrite, a.listTables},
		{"POST", "/api/types/adopt", scopeTypesWrite, withoutQuery(a.adoptTable)},
		{"POST", "/api/types/{type}/check", scopeTypesWrite, withoutQuery(a.checkType)},
		{"GET", "/api/types/{type}/drift", scopeTypesRead, withoutQuery(a.getDrift)},
	}
}

// mayUseWholeTables reports whether the caller may see all tables and rows: operators, organisations to
// which they have allowed it, and the only organisation of an installation.
func (a *api) mayUseWholeTables(ctx context.Context, tx pgx.Tx, r *http.Request) (bool, error) {
	if a.Auth.Claims.hold(claimsOf(r), scopeOperator) {
		return true, nil
	}
	return a.DB.MayUseWholeTables(ctx, tx, organisationOf(r))
}

// listTables is GET /api/tables.
func (a *api) listTables(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	search := adopt.Search{Text: v.text("q")}
	p := v.page(tablesPage, maxTablesPage)
	if p.after != nil && len(p.after) != len(search.After) {
		v.addError("cursor", "Use the cursor of a link to the next page.")
	}
	v.rejectUnknown(pageParams("q")...)
	if err := v.err(); err != nil {
		return err
	}
	copy(search.After[:], p.after)
	search.Offset, search.Limit = p.list().Offset, p.list().Limit
	var found []adopt.Verdict
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		whole, err := a.mayUseWholeTables(ctx, tx, r)
		if err != nil {
			return err
		}
		if !whole {
			if search.Granted, err = a.grantedTables(ctx, tx, r); err != nil {
				return err
			}
		}
		found, total, err = adopt.Tables(ctx, tx, search)
		return err
	})
	if err != nil {
		return err
	}
	documents, l := make([]tableVerdict, len(found)), languageOf(r)
	for i := range found {
		documents[i] = toTableVerdict(l, &found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return []string{found[i].Schema, found[i].Name} }, total)
}

// grantedTables returns the tables for which the caller's organisation may declare types.
func (a *api) grantedTables(ctx context.Context, tx pgx.Tx, r *http.Request) ([][2]string, error) {
	grants, err := a.DB.TableGrants(ctx, tx, organisationOf(r))
	if err != nil {
		return nil, err
	}
	tables := [][2]string{} // not nil, which would list all
	for i := range grants {
		if g := &grants[i]; !g.ReferenceOnly {
			tables = append(tables, [2]string{g.Schema, g.Table})
		}
	}
	return tables, nil
}

// granted returns what an operator has granted to the caller's organisation for a type of a table; nil if
// it may not declare one.
func (a *api) granted(ctx context.Context, tx pgx.Tx, r *http.Request, schema, table string) (found *adopt.Granted, err error) {
	grants, err := a.DB.TableGrants(ctx, tx, organisationOf(r))
	if err != nil {
		return nil, err
	}
	referable := make(map[[2]string]declared.Tenant)
	for i := range grants {
		g := &grants[i]
		if found == nil && !g.ReferenceOnly && g.Schema == schema && g.Table == table {
			found = &adopt.Granted{Tenant: g.Tenant, Modes: g.Modes, Referable: referable}
		}
		if key := [2]string{g.Schema, g.Table}; g.ReferenceOnly || referable[key].Column == "" {
			referable[key] = g.Tenant
		}
	}
	return found, nil
}

// readTable reads a table that the caller may declare a type for. The answer about one that it may not
// use is the same as about one that does not exist.
func (a *api) readTable(ctx context.Context, tx pgx.Tx, r *http.Request, table string) (s *adopt.Source, whole bool, err error) {
	missing := problem.New(problem.NotFound, "Table %q does not exist, or no operator has granted it to your organisation. Write schema.table as in the catalogue.", entity.Shorten(table)).
		With("table", problem.NotFound, "The name of a table that an operator has granted, such as crm.accounts.")
	schema, name, ok := declared.SplitTable(table)
	if !ok || pgtable.IsReserved(schema) {
		return nil, false, missing
	}
	if whole, err = a.mayUseWholeTables(ctx, tx, r); err != nil {
		return nil, false, err
	}
	var granted *adopt.Granted
	if !whole {
		if granted, err = a.granted(ctx, tx, r, schema, name); err != nil {
			return nil, false, err
		}
		if granted == nil {
			return nil, false, missing
		}
	}
	s, err = adopt.Read(ctx, tx, schema, name, granted)
	switch {
	case errors.Is(err, pgtable.ErrNoTable):
		return nil, false, missing
	case err != nil:
		return nil, false, fmt.Errorf("read table: %w", err)
	}
	s.Concepts = a.Concepts
	for _, t := range a.Types.Types() {
		s.Reserved = append(s.Reserved, t.Declaration().Name)
	}
	return s, whole, nil
}

// adoptTable is POST /api/types/adopt. It stores nothing.
func (a *api) adoptTable(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Table string `json:"table"`
	}
	if err := readJSON(r, &body, maxDocument); err != nil {
		return err
	}
	var draft adopt.Draft
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		s, _, err := a.readTable(ctx, tx, r, body.Table)
		if err == nil {
			draft = adopt.Adopt(s)
		}
		return err
	})
	if err != nil {
		return err
	}
	if draft.Refusal != "" {
		return problem.New(problem.TableNotAdoptable, "%s", draft.Refusal)
	}
	document, err := toDraft(languageOf(r), &draft)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}

// checkType is POST /api/types/{type}/check: of the declaration in the body, or of the version in use
// without one.
func (a *api) checkType(w http.ResponseWriter, r *http.Request) error {
	d, err := a.declarationToCheck(r)
	if err != nil {
		return err
	}
	var report *adopt.Report
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		s, whole, err := a.readTable(ctx, tx, r, d.Target.Table)
		if err != nil {
			return err
		}
		if !whole {
			if _, err := a.Declarations.CheckGrants(ctx, tx, organisationOf(r), d); err != nil {
				return err
			}
			if !declared.RestrictedByPolicies(d, s.Table) {
				return declared.NotRestricted()
			}
		}
		misfits, err := a.misfits(d, s.Table)
		if err == nil {
			report, err = adopt.Check(ctx, tx, d, s, misfits)
		}
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toTypeCheck(languageOf(r), report))
}

func (a *api) declarationToCheck(r *http.Request) (*declared.Declaration, error) {
	if r.ContentLength == 0 {
		v, err := a.loadTypeVersion(r, 0)
		if err != nil {
			return nil, err
		}
		return v.Declaration, nil
	}
	source, err := readDeclaration(r)
	if err != nil {
		return nil, err
	}
	d, err := declared.Parse(source)
	if err == nil && d.Name != r.PathValue("type") {
		err = problem.New(problem.DeclarationInvalid, "The declaration has another name: %s. Use that name in the path.", d.Name).
			With("name", problem.DeclarationInvalid, "The name in the path.")
	}
	return d, err
}

// misfits returns the parts of a declaration that do not fit its table.
func (a *api) misfits(d *declared.Declaration, t *pgtable.Table) (found []adopt.Finding, err error) {
	err = a.Types.CheckDeclared(d, t)
	var p *problem.Error
	if !errors.As(err, &p) || p.Code != problem.DeclarationInvalid {
		return nil, err
	}
	for _, f := range p.Fields {
		found = append(found, adopt.Finding{Path: f.Field, Message: f.Message})
	}
	if len(found) == 0 {
		found = append(found, adopt.Finding{Message: p.Message})
	}
	return found, nil
}

// getDrift is GET /api/types/{type}/drift.
func (a *api) getDrift(w http.ResponseWriter, r *http.Request) error {
	v, err := a.loadTypeVersion(r, 0)
	if err != nil {
		return err
	}
	l := languageOf(r)
	document := typeDrift{Version: v.Number, AdoptedFingerprint: v.Adopted.Fingerprint(), Differences: []typeDifference{}}
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		now, err := pgtable.Read(ctx, tx, v.Adopted.Schema, v.Adopted.Name)
		if errors.Is(err, pgtable.ErrNoTable) {
			document.Differences = append(document.Differences, typeDifference{Category: "tableGone", Reaction: string(declared.Hold), Message: l.Text("The table was removed or renamed.")})
			return nil
		}
		if err != nil {
			return fmt.Errorf("read table of type: %w", err)
		}
		document.CurrentFingerprint = new(now.Fingerprint())
		for _, d := range declared.Drifts(v.Declaration, v.Adopted, now) {
			document.Differences = append(document.Differences, toTypeDifference(l, &d))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}
