/**
 * How a file names its agents: `authorized_agents[]` of the official schema (adagents.json), or the short form `agents[]` of introductions,
 * which a reader that goes by the schema does not know.
 */
export const FILE_FORMS = ['official', 'short'] as const
export type FileForm = (typeof FILE_FORMS)[number]

/** The form of a file, as an answer names it. */
export function fileForm({ short_form: isShort }: { readonly short_form: number }): FileForm {
  return isShort === 1 ? 'short' : 'official'
}
