// Says what an update from one template to another does to resources, as JSON: those that it
// replaces (for certain, or perhaps: it depends on a value that is known at the deployment),
// removes, or leaves behind. node impact.js OLD.json NEW.json
import { readFileSync } from "node:fs"
import { fullDiff, ResourceImpact } from "@aws-cdk/cloudformation-diff"

const losing = [
  ResourceImpact.WILL_REPLACE,
  ResourceImpact.MAY_REPLACE,
  ResourceImpact.WILL_DESTROY,
  ResourceImpact.WILL_ORPHAN,
]
const [before, after] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")))
const changes = []
fullDiff(before, after).resources.forEachDifference((id, change) => {
  if (losing.includes(change.changeImpact)) {
    const because = Object.entries(change.propertyUpdates ?? {})
      .filter(([, property]) => losing.includes(property.changeImpact))
      .map(([name]) => name)
    changes.push({ id, type: change.oldResourceType ?? change.resourceType, impact: change.changeImpact, because })
  }
})
console.log(JSON.stringify(changes))
