package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the types of the Python client")

// TestPythonTypesAreCurrent compares the types with the description, and evaluates them.
func TestPythonTypesAreCurrent(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	description, err := os.ReadFile(filepath.Join(root, "shared", "httpapi", "openapi.yaml"))
	require.NoError(t, err)
	made, err := generate(description)
	require.NoError(t, err)
	path := filepath.Join(root, "client", "python", "src", "loadbay", "types.py")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o600))
	}
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, string(stored) == made, "openapi.yaml has changed: run make python-types")
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	check := exec.CommandContext(t.Context(), python, "-c", `
import typing, loadbay.types as types
for name, value in vars(types).items():
    if isinstance(value, type) and value.__module__ == types.__name__:
        typing.get_type_hints(value)
job = typing.get_type_hints(types.ImportJob)
assert "identifier" in job and "identifier" in types.ImportJob.__required_keys__, job
`)
	check.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(root, "client", "python", "src"), "PYTHONDONTWRITEBYTECODE=1")
	output, err := check.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	made, err := generate([]byte(`
components:
  schemas:
    Word: {type: string, enum: [a, b]}
    Either: {oneOf: [{$ref: '#/components/schemas/Word'}, {type: 'null'}]}
    Thing:
      type: object
      description: A thing.
      required: [id]
      properties:
        id: {type: integer}
        part: {type: [object, 'null'], required: [x], properties: {x: {type: number}}}
        from: {type: array, items: {type: string}}
`))
	require.NoError(t, err)
	require.Equal(t, header+`Word = Literal["a", "b"]

Either = Union[None, "Word"]

class ThingPart(TypedDict):
    x: float


_ThingRequired = TypedDict("_ThingRequired", {"id": "int"})

_ThingOptional = TypedDict("_ThingOptional", {"part": "None | ThingPart", "from": "list[str]"}, total=False)


class Thing(_ThingRequired, _ThingOptional):
    pass

`, made)
	_, err = generate([]byte("components: {schemas: {X: {type: strange}}}"))
	require.ErrorContains(t, err, "schema X")
}
