import type { Schemas } from '../protocol/schemas.ts'

/**
 * Whether the official request schema of `task` names a field at exactly this path (arrays are transparent; on the way there a member may be one that
 * a pattern allows, such as the id of a creative's asset). `ext` and `context` are open by design, so nothing below them is ever declared.
 */
export function declaresField(schemas: Schemas, task: string, path: readonly string[]): boolean {
  if (path[0] === 'ext' || path[0] === 'context') return false
  const isLast = (index: number) => index === path.length - 1
  let at = schemas.requestPlace(task)
  for (const [index, part] of path.entries()) at = at?.declared(part) ?? (isLast(index) ? undefined : at?.byPattern(part))
  return at !== undefined
}
