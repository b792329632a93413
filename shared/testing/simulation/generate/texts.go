package generate

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/testing/checker"
)

// usersSQL returns the statements that insert users, for the entities that belong to them.
func usersSQL() []string {
	var setup []string
	for n := range existing {
		setup = append(setup, fmt.Sprintf(`INSERT INTO users (organisation_id, id, email, name) VALUES ($1, '%s', '%s', 'Old %d')`, uuidOf(1, n), emailAddress(n), n))
	}
	return setup
}

// parentCell returns the id of an existing entity, or of one that does not exist.
func parentCell(kind int) func(*generator, int) Cell {
	return func(g *generator, _ int) Cell {
		if g.chance(8) {
			return Cell{Raw: uuidOf(kind, 99), Value: uuidOf(kind, 99)}
		}
		return uuidCell(g, kind, g.IntN(existing))
	}
}

func existingIDs(kind int) map[string]bool {
	known := make(map[string]bool)
	for n := range existing {
		known[uuidOf(kind, n)] = true
	}
	return known
}

func slug(n int) string { return fmt.Sprintf("text-%d", n) }

func articles() *importType {
	return &importType{
		name: "ARTICLE", modes: bothModes(),
		columns: []columnKind{
			{field: "SLUG", headers: []string{"Slug", "Permalink"}, required: true, cell: func(g *generator, n int) Cell {
				if g.chance(4) {
					return Cell{Raw: "Not A Slug", Code: "CELL_PATTERN"}
				}
				return Cell{Raw: slug(n), Value: slug(n)}
			}},
			{field: "TITLE", headers: []string{"Title", "Headline"}, required: true, cell: nameCell},
			{field: "BODY", headers: []string{"Body", "Content"}, required: true, cell: nameCell},
			{field: "AUTHOR_ID", headers: []string{"Author id", "Author"}, required: true, cell: parentCell(1)},
			{field: "STATUS", headers: []string{"Status", "State"}, optional: true, cell: func(g *generator, _ int) Cell {
				if g.chance(10) {
					return Cell{Raw: "lost", Code: "CELL_ENUM"}
				}
				v := pickOne(g, "draft", "published", "archived")
				return Cell{Raw: pickOne(g, v, " "+v), Value: v}
			}},
			{field: "DESCRIPTION", headers: []string{"Description", "Summary"}, optional: true, cell: nameCell},
			{field: "ID", headers: []string{"Id", "Article id"}, optional: true, filled: true, cell: func(g *generator, n int) Cell { return uuidCell(g, 2, n) }},
		},
		model: func(m *Import) model {
			t := &tableModel{
				mode: m.Mode, keys: []string{"ID", "SLUG"}, defaults: map[string]string{"STATUS": "draft"}, setupStatements: usersSQL(),
				parents: map[string]map[string]bool{"AUTHOR_ID": existingIDs(1)},
			}
			for n := range existing {
				t.entities = append(t.entities, &modelEntity{values: map[string]string{
					"ID": uuidOf(2, n), "SLUG": slug(n), "TITLE": "Old", "BODY": "Old", "AUTHOR_ID": uuidOf(1, 0), "STATUS": "published",
				}})
				t.setupStatements = append(t.setupStatements, existingArticle(n))
			}
			t.check = func(things []*modelEntity) []checker.Table {
				return []checker.Table{content("articles", `SELECT `+idSQL+` || '|' || concat_ws('|', slug, title, body, author_id::text, status, coalesce(description, ''))
					FROM articles WHERE organisation_id = $1`, things, "ID", "SLUG", "TITLE", "BODY", "AUTHOR_ID", "STATUS", "DESCRIPTION")}
			}
			return t
		},
	}
}

func existingArticle(n int) string {
	return fmt.Sprintf(`INSERT INTO articles (organisation_id, id, slug, title, body, author_id, status) VALUES ($1, '%s', '%s', 'Old', 'Old', '%s', 'published')`,
		uuidOf(2, n), slug(n), uuidOf(1, 0))
}

func comments() *importType {
	return &importType{
		name: "COMMENT", modes: bothModes(),
		columns: []columnKind{
			{field: "BODY", headers: []string{"Body", "Comment"}, required: true, cell: nameCell},
			{field: "ARTICLE_ID", headers: []string{"Article id", "Article"}, required: true, cell: parentCell(2)},
			{field: "USER_ID", headers: []string{"User id", "Commenter id"}, required: true, cell: parentCell(1)},
			{field: "ID", headers: []string{"Id", "Comment id"}, optional: true, cell: func(g *generator, n int) Cell { return uuidCell(g, 3, n) }},
		},
		model: func(m *Import) model {
			t := &tableModel{
				mode: m.Mode, keys: []string{"ID"}, setupStatements: usersSQL(),
				parents: map[string]map[string]bool{"ARTICLE_ID": existingIDs(2), "USER_ID": existingIDs(1)},
			}
			for n := range existing {
				t.setupStatements = append(t.setupStatements, existingArticle(n), fmt.Sprintf(`INSERT INTO comments (organisation_id, id, body, article_id, user_id) VALUES ($1, '%s', 'Old', '%s', '%s')`,
					uuidOf(3, n), uuidOf(2, 0), uuidOf(1, 0)))
				t.entities = append(t.entities, &modelEntity{values: map[string]string{"ID": uuidOf(3, n), "BODY": "Old", "ARTICLE_ID": uuidOf(2, 0), "USER_ID": uuidOf(1, 0)}})
			}
			t.check = func(things []*modelEntity) []checker.Table {
				return []checker.Table{content("comments", `SELECT `+idSQL+` || '|' || concat_ws('|', body, article_id::text, user_id::text) FROM comments WHERE organisation_id = $1`,
					things, "ID", "BODY", "ARTICLE_ID", "USER_ID")}
			}
			return t
		},
	}
}
