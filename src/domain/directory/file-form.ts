/**
 * How a file names its agents: `authorized_agents[]` of the official schema (adagents.json), or the short form `agents[]` of introductions,
 * which a reader that goes by the schema does not know.
 */
export type FileForm = 'official' | 'short'

/** The form of a file, as an answer names it. */
export function fileForm({ short_form: isShort }: { readonly short_form: number }): FileForm {
  return isShort === 1 ? 'short' : 'official'
}
