package xlsx

import (
	"path"
	"strings"

	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// relation is a reference from one part to another.
type relation struct {
	kind   string // last segment of its type, the same in both dialects of the standard
	target string // part name
}

// maxRelations exceeds the maximum number of parts of an archive.
const maxRelations = 20_000

// relations reads the part's relationships by id; empty if it has none. The package itself is the
// part "".
func relations(p *opc.Package, part string) (map[string]relation, error) {
	dir, base := path.Split(part)
	name := dir + "_rels/" + base + ".rels"
	if !p.Has(name) {
		return nil, nil
	}
	out := make(map[string]relation)
	err := eachElement(p, name, func(x *xmlpull.Scanner) error {
		if string(x.Local()) != "Relationship" {
			return nil
		}
		if len(out) == maxRelations {
			return corruptError("more than %d relationships", maxRelations)
		}
		id, err := attr(x, "Id")
		if err != nil {
			return err
		}
		kind, err := attr(x, "Type")
		if err != nil {
			return err
		}
		target, err := attr(x, "Target")
		if err != nil {
			return err
		}
		if mode, _ := x.Attr("TargetMode"); string(mode) != "External" {
			out[id] = relation{kind: path.Base(kind), target: resolveTarget(dir, target)}
		}
		return nil
	})
	return out, err
}

// resolveTarget returns the part that a target denotes relative to a folder.
func resolveTarget(dir, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return path.Join(dir, target)
}

// firstTarget returns the target of a relation of that kind.
func firstTarget(rels map[string]relation, kind string) (string, bool) {
	for _, r := range rels {
		if r.kind == kind {
			return r.target, true
		}
	}
	return "", false
}
