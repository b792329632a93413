package step_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
	"github.com/loadbay/loadbay/shared/transform"
)

const mappingGuide = "../../docs/mapping.md"

// TestMappingGuideExample runs the example in docs/mapping.md.
func TestMappingGuideExample(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(mappingGuide)
	require.NoError(t, err)
	block := func(kind string) string {
		_, rest, found := strings.Cut(string(guide), "```"+kind+"\n")
		require.True(t, found, kind)
		text, _, _ := strings.Cut(rest, "```")
		return text
	}
	membership, _ := catalog.New().ByName("MEMBERSHIP")
	_, err = apply.Parse([]byte(block("json")), membership.Declaration())
	require.NoError(t, err)

	e := setup(t, 1)
	ref := e.create(t, "MEMBERSHIP", "membres.csv", block("csv"), func(j *job.Job) { member(j); j.AutoStart = false })
	e.saveMapping(t, ref, block("json"))
	e.prepare(t, ref)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"2 CREATED", "3 CREATED"}, e.results(t, ref))
	require.Equal(t, strings.Split(strings.TrimSpace(block("text")), "\n"), postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws('|', p.first_name, p.last_name, p.email, coalesce(p.gender, ''), p.birth_date, c.code, t.name) ORDER BY p.email)
		FROM memberships AS m JOIN persons AS p ON p.id = m.person_id JOIN membership_types AS t ON t.id = m.type_id LEFT JOIN countries AS c ON c.id = p.country_id`))
}

// TestMappingGuideSteps runs each line of the table of steps.
func TestMappingGuideSteps(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(mappingGuide)
	require.NoError(t, err)
	ops := make(map[transform.Op]bool)
	for line := range strings.Lines(string(guide)) {
		if !strings.HasPrefix(line, "| `{\"op\"") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), "` | `")
		require.Len(t, cells, 3, line)
		var step transform.Step
		require.NoError(t, json.Unmarshal([]byte(strings.Trim(cells[0], "`")), &step), line)
		chain, err := transform.Compile([]transform.Step{step})
		require.NoError(t, err, line)
		got, err := chain.Apply(transform.NewBudget(), cells[1])
		require.NoError(t, err, line)
		require.Equal(t, strings.Trim(cells[2], "`"), got, line)
		ops[step.Op] = true
	}
	require.Len(t, ops, 11, "the guide shows every transform")
}
