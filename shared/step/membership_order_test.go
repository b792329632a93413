package step_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// TestRefusedRowLeavesRosterUnchanged: of several rows about a person the first counts. The
// values of a later row are not stored anywhere, even if it was written first.
func TestRefusedRowLeavesRosterUnchanged(t *testing.T) {
	t.Parallel()
	const before = "First name;Last name;ID number;Type;Country;Phone;Membership number\n" +
		"Anna;Berg;7001;Senior;ZA;1;A1\n"
	const after = "First name;Last name;ID number;Type;Country;Phone;Membership number\n" +
		"Anna;Cole;7001;Junior;;2;\n" +
		"Ben;Dahl;7002;Junior;;;\n" +
		"Anna;Eng;7001;Senior;NOR;3;A3\n" +
		"Ben;Falk;7002;Senior;NOR;4;B4\n"
	for _, backwards := range []bool{false, true} {
		t.Run(fmt.Sprintf("backwards %v", backwards), func(t *testing.T) {
			t.Parallel()
			e := setup(t, 1)
			first := e.create(t, "MEMBERSHIP", "roster.csv", before, member)
			e.prepare(t, first)
			e.drain(t, false)
			ref := e.create(t, "MEMBERSHIP", "roster.csv", after, func(j *job.Job) { member(j); j.Mode = rowwrite.Upsert })
			e.prepare(t, ref)
			e.drain(t, backwards)
			require.Equal(t, []string{"2 UPDATED", "3 CREATED", "4 ERROR  ROW_DUPLICATE", "5 ERROR  ROW_DUPLICATE"}, e.results(t, ref))
			require.Equal(t, []string{"Anna Cole ZA 2 Junior A1", "Ben Dahl - - Junior -"}, postgrestest.Query[[]string](t, e.Database, `
				SELECT array_agg(concat_ws(' ', p.first_name, p.last_name, coalesce(c.code, '-'), coalesce(p.phone, '-'), t.name, coalesce(m.membership_number, '-'))
					ORDER BY p.first_name)
				FROM memberships AS m JOIN persons AS p ON p.id = m.person_id JOIN membership_types AS t ON t.id = m.type_id
				LEFT JOIN countries AS c ON c.id = p.country_id`))
		})
	}
}

// An order from an earlier upload is distinguished from a duplicate in the file, for any chunk
// size.
func TestOrderErrorIsChunkIndependent(t *testing.T) {
	t.Parallel()
	const header = "Client id,Client reference,Sender name,Sender address,Sender contact,Receiver name,Receiver address,Receiver city,Receiver pincode,Item count,Total weight,Service type\n"
	line := func(reference string) string { return "7," + reference + ",A,B,C,D,E,F,400001,1,2,EXPRESS\n" }
	for _, chunkRows := range []int{1, 100} {
		t.Run(fmt.Sprintf("%d rows a chunk", chunkRows), func(t *testing.T) {
			t.Parallel()
			e := setup(t, chunkRows)
			first := e.create(t, "ORDER", "orders.csv", header+line("R1"), nil)
			e.prepare(t, first)
			e.drain(t, false)
			ref := e.create(t, "ORDER", "orders.csv", header+line("R1")+line("R1")+line("R2")+line("R2"), nil)
			e.prepare(t, ref)
			e.drain(t, false)
			require.Equal(t, []string{"2 SKIPPED  ALREADY_EXISTS", "3 SKIPPED  ALREADY_EXISTS", "4 CREATED", "5 SKIPPED  ROW_DUPLICATE"}, e.results(t, ref))
		})
	}
}

// TestConcurrentRowsTakeOverOneOrder: the last of several rows created the order, and two
// earlier rows take it over concurrently. The first row of the file gets it.
func TestConcurrentRowsTakeOverOneOrder(t *testing.T) {
	t.Parallel()
	const header = "Client id,Client reference,Sender name,Sender address,Sender contact,Receiver name,Receiver address,Receiver city,Receiver pincode,Item count,Total weight,Service type\n"
	e := setup(t, 1)
	for round := range 25 {
		file := header
		for row := range 3 {
			file += fmt.Sprintf("7,R%d,N%d,B,C,D,E,F,400001,1,2,EXPRESS\n", round, row)
		}
		ref := e.create(t, "ORDER", "orders.csv", file, nil)
		e.prepare(t, ref)
		queued := e.queued
		e.queued = nil
		require.NoError(t, e.process.Run(t.Context(), queued[2]))
		var group sync.WaitGroup
		for _, chunk := range queued[:2] {
			group.Go(func() {
				if err := e.process.Run(t.Context(), chunk); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		require.Equal(t, []string{"2 CREATED", "3 SKIPPED  ROW_DUPLICATE", "4 SKIPPED  ROW_DUPLICATE"}, e.results(t, ref))
	}
}
