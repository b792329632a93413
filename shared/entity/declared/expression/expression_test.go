package expression_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/declared/expression"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

const accounts = `loadbay: type/1
name: ACCOUNT
title: Accounts
target: {table: crm.accounts}
tenant: {none: true}
identity: [id]
keys: [{name: code, fields: [CODE], index: none}]
fields:
  - {name: CODE, column: code}
  - {name: COUNTRY, column: country}
  - {name: STATUS, column: status}
  - {name: CREDIT, column: credit}
  - {name: QUANTITY, column: quantity}
  - {name: ACTIVE, column: active}
  - {name: FROM_DAY, column: from_day}
  - {name: TAGS, column: tags}
  - {name: TYPE, column: type}
`

// accountTable is the table of accounts.
func accountTable() *pgtable.Table {
	t := &pgtable.Table{Schema: "crm", Name: "accounts", Usage: true, Unique: []pgtable.Index{{Name: "accounts_pkey", Primary: true, Columns: []pgtable.IndexColumn{{Column: "id"}}}}}
	for name, of := range map[string]string{
		"id": "integer", "code": "text", "country": "text", "status": "text", "credit": "numeric", "quantity": "integer", "active": "boolean",
		"from_day": "date", "tags": "text[]", "region": "text", "total": "numeric", "until_day": "date", "type": "text",
	} {
		c := pgtable.Column{Name: name, Type: of, Base: of, TypeKind: "b", NotNull: name == "id", Select: true, Insert: true, Update: true, Comparable: true, Hashable: true, Deterministic: true}
		if of == "text[]" {
			c.Element = "text"
		}
		if name == "total" {
			c.Precision, c.Scale = 6, 2
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// compile returns the type of the declaration with more members.
func compile(t *testing.T, more string) (*declared.Type, error) {
	t.Helper()
	d, err := declared.Parse([]byte(accounts + more))
	require.NoError(t, err, "%v", problem.From(err).Fields)
	kind, err := declared.Compile(d, accountTable())
	require.NoError(t, err, "%v", problem.From(err).Fields)
	kind.Declaration().Expressions, err = expression.Compile(kind)
	return kind, err
}

// decode returns the errors of a row, or its values.
func decode(t *testing.T, kind *declared.Type, mode rowwrite.Mode, columns, row string) string {
	t.Helper()
	var mapped []job.MappedColumn
	for i, name := range strings.Split(columns, ",") {
		mapped = append(mapped, job.MappedColumn{ColumnIndex: i, TargetField: name})
	}
	plan, err := rows.NewPlan(kind.Declaration(), mapped)
	require.NoError(t, err)
	decoder := rows.NewDecoder(plan, &job.Job{Mode: mode}, &sheet.Dialect{Format: sheet.CSV, DecimalMark: "."}, 1)
	r := &sheet.Row{Number: 2}
	for _, cell := range strings.Split(row, ",") {
		r.Cells = append(r.Cells, sheet.Cell{Kind: sheet.Text, Bytes: []byte(cell)})
	}
	var texts []string
	for _, e := range decoder.Add(r) {
		texts = append(texts, strings.TrimSpace(e.Field+" "+string(e.Code)+" "+e.Value)+": "+e.Message)
	}
	if len(texts) > 0 {
		return strings.Join(texts, "; ")
	}
	for k := range kind.Declaration().Computed {
		at := len(kind.Declaration().Fields) + k
		if !decoder.Batch.Mapped[at] {
			texts = append(texts, "-")
			continue
		}
		texts = append(texts, decoder.Batch.Columns[at].Display(0))
	}
	return strings.Join(texts, " ")
}

func rule(check string) string {
	return "rules:\n  - check: |-\n      " + check + "\n    field: CREDIT\n    message: A blocked account has no credit.\n"
}

const violated = "CREDIT ROW_REJECTED"

func TestRuleIsTheOutcomeOfARow(t *testing.T) {
	t.Parallel()
	kind, err := compile(t, rule(`status != 'blocked' || credit == null || credit == decimal('0')`))
	require.NoError(t, err)
	for row, want := range map[string]string{
		"active,5": "", "blocked,": "", "blocked,0": "", "blocked,0.00": "", ",5": "",
		"blocked,0.01": "CREDIT ROW_REJECTED 0.01: Credit: A blocked account has no credit.",
	} {
		require.Equal(t, want, decode(t, kind, rowwrite.Upsert, "STATUS,CREDIT", row), row)
	}
	require.Empty(t, decode(t, kind, rowwrite.Upsert, "STATUS", "blocked"), "the stored credit is unknown")
}

// Amounts are exact: 0.1 + 0.2 is 0.3, and no number loses digits.
func TestDecimalsAreExact(t *testing.T) {
	t.Parallel()
	for check, ok := range map[string]bool{
		`credit + decimal('0.2') == decimal('0.3')`:                              true,
		`credit * 3 == decimal('0.3')`:                                           true,
		`credit - decimal('0.1') == decimal('0')`:                                true,
		`credit > 0 && credit < 1 && credit >= decimal('0.10')`:                  true,
		`credit / 3 * 3 == credit`:                                               true,
		`round(decimal('2.345'), 2) == decimal('2.35')`:                          true,
		`round(-credit / 3, 4) == decimal('-0.0333')`:                            true,
		`credit + decimal('90071992547409930.1') > decimal('9007199254740993')`:  true,
		`decimal('9007199254740993.1') > decimal('9007199254740993.1') + credit`: false,
		`string(credit) == '0.1'`:                                                true,
		`from_day >= date('2026-01-31') && from_day < date('2026-02-01')`:        true,
		`from_day.getFullYear() == 2026`:                                         true,
		`active && size(tags) == 2 && 'b' in tags`:                               true,
		`tags.exists(t, t.startsWith('b'))`:                                      true,
		`type.lowerAscii() == 'x' && quantity % 2 == 1`:                          true,
		`country.matches('^[A-Z]{2}$')`:                                          true,
		`country in ['AT', 'CH']`:                                                false,
	} {
		kind, err := compile(t, rule(check))
		require.NoError(t, err, "%s %v", check, problem.From(err))
		got := decode(t, kind, rowwrite.Insert, "COUNTRY,CREDIT,QUANTITY,ACTIVE,FROM_DAY,TAGS,TYPE", "DE,0.1,3,true,2026-01-31,a;b,X")
		if ok {
			require.Empty(t, got, check)
		} else {
			require.True(t, strings.HasPrefix(got, violated), "%s: %s", check, got)
		}
	}
}

// As in SQL, a comparison with a missing value violates nothing.
func TestMissingValuesAreUnknown(t *testing.T) {
	t.Parallel()
	for check, want := range map[string]string{
		`credit > 5`: "", `credit + 5 > decimal('1')`: "", `quantity * 2 > 5`: "", `from_day < date('2020-01-01')`: "", `active`: "",
		`credit != null`: violated, `status == 'blocked' || credit > 5`: violated, `status == 'x' || credit > 5`: "", `size(tags) > 0`: violated,
	} {
		kind, err := compile(t, rule(check))
		require.NoError(t, err, check)
		got := decode(t, kind, rowwrite.Insert, "STATUS", "blocked")
		if check == `status == 'blocked' || credit > 5` {
			want = ""
		}
		require.True(t, want == "" && got == "" || want != "" && strings.HasPrefix(got, want), "%s: %q", check, got)
	}
}

func TestComputedFieldFollowsFromOthers(t *testing.T) {
	t.Parallel()
	kind, err := compile(t, `  - {name: REGION, column: region, computed: "country in ['DE', 'AT', 'CH'] ? 'dach' : 'row'"}
  - {name: TOTAL, column: total, computed: "credit * quantity"}
  - {name: UNTIL, column: until_day, computed: "from_day + duration('24h')"}
`)
	require.NoError(t, err, "%v", problem.From(err))
	const all = "COUNTRY,CREDIT,QUANTITY,FROM_DAY"
	require.Equal(t, "dach 0.3 2026-02-01", decode(t, kind, rowwrite.Upsert, all, "DE,0.1,3,2026-01-31"))
	require.Equal(t, "row  ", decode(t, kind, rowwrite.Insert, all, ",,3,"), "a new row has no country")
	require.Equal(t, "  ", decode(t, kind, rowwrite.Upsert, all, ",,3,"), "a stored row can have a country")
	require.Equal(t, "dach - -", decode(t, kind, rowwrite.Upsert, "COUNTRY", "AT"))
	require.Equal(t, "TOTAL CELL_PRECISION 0.333: Total: The number has more than 2 decimals, or it has lost digits. Round it in the file.",
		decode(t, kind, rowwrite.Upsert, all, "DE,0.111,3,2026-01-31"))
	require.Equal(t, "TOTAL CELL_TOO_LARGE 100000: Total: The number is above the maximum of this column. The maximum is 9999.99.", decode(t, kind, rowwrite.Upsert, all, "DE,100000,1,2026-01-31"))
}

func TestExpensiveExpressionFailsItsRow(t *testing.T) {
	t.Parallel()
	many := "[" + strings.TrimSuffix(strings.Repeat("1,", 60), ",") + "]"
	kind, err := compile(t, rule(many+".all(a, "+many+".all(b, "+many+".all(c, a == b && b == c)))"))
	require.NoError(t, err)
	require.Equal(t, "CREDIT ROW_REJECTED: Credit: An expression of the type cannot be evaluated: it needs too much work for this row.", decode(t, kind, rowwrite.Insert, "STATUS", "x"))
	kind, err = compile(t, rule(`credit / quantity > 1`))
	require.NoError(t, err)
	require.Equal(t, "CREDIT ROW_REJECTED: Credit: An expression of the type cannot be evaluated: division by zero.", decode(t, kind, rowwrite.Insert, "CREDIT,QUANTITY", "1,0"))
}

// Mistakes have the line and column of the declaration, for each way to write a text.
func TestMistakeHasItsPlace(t *testing.T) {
	t.Parallel()
	rest := ", field: CREDIT, message: m}\n"
	for text, want := range map[string]string{
		`  - {check: "status == 5"` + rest:                                                                `rules[0].check Line 19, column 21: found no matching overload for '_==_' applied to '(string, int)'.`,
		`  - {check: 'statsu == ""'` + rest:                                                               `rules[0].check Line 19, column 14: undeclared reference to 'statsu'.`,
		"  - check: status == 'x' &&\n    field: CREDIT\n    message: m\n":                                "rules[0].check Line 19, column 28: Syntax error: mismatched input '<EOF>'.",
		"  - check: |\n      status == 'x' &&\n        credit > 0.5\n    field: CREDIT\n    message: m\n": "rules[0].check Line 21, column 16: ",
		`  - {check: "credit == decimal('1') * 1.5"` + rest:                                               `rules[0].check Line 19, column 37: `,
		`  - {check: "1.5 < 2.5"` + rest:                                                                  `rules[0].check Line 19, column `,
		`  - {check: "status"` + rest:                                                                     `rules[0].check Line 19, column 14: The result is string, and it must be bool.`,
		`  - {check: "request.auth"` + rest:                                                               `rules[0].check Line 19, column 14: undeclared reference to 'request'.`,
		`  - {check: "status.matches('(')"` + rest:                                                        `rules[0].check Line 19, column 14: `,
	} {
		source := accounts + "rules:\n" + text
		d, err := declared.Parse([]byte(source))
		require.NoError(t, err, text)
		kind, err := declared.Compile(d, accountTable())
		require.NoError(t, err)
		_, err = expression.Compile(kind)
		require.Error(t, err, text)
		e := problem.From(declared.Locate([]byte(source), err))
		require.Equal(t, problem.DeclarationInvalid, e.Code)
		require.True(t, strings.HasPrefix(e.Fields[0].Field+" "+e.Fields[0].Message, want), "%s: %v", text, e.Fields)
	}
}

func TestComputedFieldCannotIdentifyRows(t *testing.T) {
	t.Parallel()
	d, err := declared.Parse([]byte(strings.Replace(accounts, "{name: CODE, column: code}", `{name: CODE, column: code, computed: "country"}`, 1)))
	require.NoError(t, err)
	_, err = declared.Compile(d, accountTable())
	require.Equal(t, "Field CODE is computed. A key consists of fields that files contain.", problem.From(err).Fields[0].Message)
}

func TestTypeWithoutExpressionsCostsNothing(t *testing.T) {
	t.Parallel()
	kind, err := compile(t, "")
	require.NoError(t, err)
	require.Nil(t, kind.Declaration().Expressions)
}

func BenchmarkRule(b *testing.B) {
	d, err := declared.Parse([]byte(accounts + rule(`status != 'blocked' || credit == null || credit == decimal('0')`)))
	require.NoError(b, err)
	kind, err := declared.Compile(d, accountTable())
	require.NoError(b, err)
	compiled, err := expression.Compile(kind)
	require.NoError(b, err)
	batch := entity.NewBatch(kind.Declaration(), make([]bool, len(kind.Declaration().Fields)), 1)
	for _, field := range []string{"STATUS", "CREDIT"} {
		at := kind.Declaration().FieldIndex(field)
		batch.Mapped[at] = true
		batch.Columns[at].AppendText([]byte(map[string]string{"STATUS": "blocked", "CREDIT": "0.00"}[field]))
	}
	batch.Commit(2)
	b.ReportAllocs()
	for b.Loop() {
		if found := compiled.Violations(entity.DecodedRow{Batch: batch}); found != nil {
			b.Fatal(found)
		}
	}
}
