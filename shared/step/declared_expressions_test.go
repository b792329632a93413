package step_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Rules decide about rows, and computed values are written, planned and undone as those of files.
func TestDeclaredImportAppliesExpressions(t *testing.T) {
	t.Parallel()
	source := strings.Replace(productDeclaration, "{name: NAME, column: Full name, title: Name}",
		`{name: NAME, column: Full name, computed: "sku + ' ' + string(price)"}`, 1) + `rules:
  - {check: "price < 100 || status == 'draft'", field: PRICE, message: A live product costs less than 100.}
`
	const file = "SKU,Price,Status\nC,1.50,live\nA,100,live\nB,,live\nD,100,draft\nE,99.99,live\n"
	for _, chunkRows := range []int{1, 100} {
		e := setupDeclared(t, chunkRows, shop, source)
		ref := e.importFile(t, "PRODUCT", file, false, declaredJob(rowwrite.Upsert))
		require.Equal(t, []string{"2 CREATED", "3 ERROR PRICE ROW_REJECTED", "4 UPDATED", "5 CREATED", "6 CREATED"}, e.results(t, ref))
		require.Equal(t, []string{`A Apple 1.50 draft {"a": 1}`, "B Pear 2.00 live", "C C 1.5 1.50 live", "D D 100 100.00 draft", "E E 99.99 99.99 live"}, e.products(t))
	}
}
