import type { Manifest } from '../manifest.ts'
import type { Schema } from '../schema-places.ts'
import { referencesOf } from './normal-form.ts'
import { type SchemaChange, schemaChanges } from './schema-changes.ts'

/** A release as it is compared: documents in normal form, by path. */
export interface ComparedRelease {
  readonly line: string
  readonly manifest: Manifest
  readonly documents: ReadonlyMap<string, Schema>
}

/**
 * What changed in the schemas of these tasks, and in those that they refer to, so that a server written for the earlier release could not serve the
 * later one. Tasks of other names may change as they like.
 */
export function contractChanges(
  before: ComparedRelease,
  after: ComparedRelease,
  tasks: readonly string[],
): readonly SchemaChange[] {
  const served = tasks.filter((task) => Object.hasOwn(before.manifest.tools, task))
  const gone = served.filter((task) => !Object.hasOwn(after.manifest.tools, task))
  const reached = reachedFrom(
    before,
    served.flatMap((task) => schemasOf(before.manifest, task)),
  )
  return [
    ...gone.map((task) => ({ place: 'manifest.json', change: `the task ${task} is gone` })),
    ...served.flatMap((task) => movedSchemas(before.manifest, after.manifest, task)),
    ...[...reached].flatMap((path) => documentChanges(path, before.documents.get(path), after.documents.get(path))),
  ]
}

function documentChanges(path: string, before: Schema | undefined, after: Schema | undefined): readonly SchemaChange[] {
  if (!before) return []
  // What no other schema refers to any more is not missed: a changed reference is a change of the schema that refers.
  return after ? schemaChanges(path, before, after) : []
}

function movedSchemas(before: Manifest, after: Manifest, task: string): readonly SchemaChange[] {
  const [was, is] = [before.tools[task], after.tools[task]]
  if (!was || !is) return []
  const moved =
    was.request_schema !== is.request_schema || was.response_schema !== is.response_schema || was.mutating !== is.mutating
  return moved
    ? [{ place: 'manifest.json', change: `the task ${task} has other schemas, or changes state where it did not` }]
    : []
}

function schemasOf(manifest: Manifest, task: string): readonly string[] {
  const tool = manifest.tools[task]
  return tool ? [tool.request_schema, tool.response_schema, ...(tool.async_response_schemas ?? [])] : []
}

function reachedFrom({ line, documents }: ComparedRelease, roots: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [...roots]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const document = documents.get(path)
    if (reached.has(path) || !document) continue
    reached.add(path)
    open.push(...referencesOf(line, document))
  }
  return reached
}
