// Prints, as JSON, for each pair of templates the resources that an update from the first to the
// second replaces (certainly, or depending on a value that only the deployment knows), removes or
// leaves behind. node impact.js OLD.json NEW.json [OLD.json NEW.json …]
import { readFileSync } from "node:fs"
import { fullDiff, ResourceImpact } from "@aws-cdk/cloudformation-diff"

const losing = [
  ResourceImpact.WILL_REPLACE,
  ResourceImpact.MAY_REPLACE,
  ResourceImpact.WILL_DESTROY,
  ResourceImpact.WILL_ORPHAN,
]
const texts = new Map() // of each file's resources, by id
const read = (file) => {
  if (!texts.has(file)) {
    const { Resources } = JSON.parse(readFileSync(file, "utf8"))
    texts.set(file, new Map(Object.entries(Resources).map(([id, resource]) => [id, JSON.stringify(resource)])))
  }
  return texts.get(file)
}

// affected returns the ids of the resources that differ, and of those that refer to one of them.
const affected = (before, after) => {
  const found = new Set([...before.keys(), ...after.keys()].filter((id) => before.get(id) !== after.get(id)))
  for (const id of found) // also those that are added meanwhile
    for (const [other, text] of [...before, ...after]) if (text.includes(`"${id}"`)) found.add(other)
  return found
}

const template = (resources, ids) => ({
  Resources: Object.fromEntries([...resources].filter(([id]) => ids.has(id)).map(([id, text]) => [id, JSON.parse(text)])),
})

const compare = (oldFile, newFile) => {
  const [before, after] = [read(oldFile), read(newFile)]
  const ids = affected(before, after)
  const changes = []
  fullDiff(template(before, ids), template(after, ids)).resources.forEachDifference((id, change) => {
    if (losing.includes(change.changeImpact)) {
      const because = Object.entries(change.propertyUpdates ?? {})
        .filter(([, property]) => losing.includes(property.changeImpact))
        .map(([name]) => name)
      changes.push({ id, type: change.oldResourceType ?? change.resourceType, impact: change.changeImpact, because })
    }
  })
  return changes
}

const files = process.argv.slice(2)
const comparisons = []
for (let i = 0; i + 1 < files.length; i += 2) comparisons.push(compare(files[i], files[i + 1]))
console.log(JSON.stringify(comparisons))
