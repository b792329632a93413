package catalog_test

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/entity/catalog"
)

// Code outside a type's own folder uses only its declaration.
func Example() {
	article, _ := catalog.New().ByResource("articles")
	declaration := article.Declaration()
	fmt.Println(declaration.Name, "in the modes", declaration.Modes)
	for _, field := range declaration.Fields {
		if field.Required {
			fmt.Printf("%s (%s) is required\n", field.Title, field.Name)
		}
	}
	// Output:
	// ARTICLE in the modes [insert upsert]
	// Slug (SLUG) is required
	// Title (TITLE) is required
	// Body (BODY) is required
	// Author id (AUTHOR_ID) is required
}
