import { listOf, named, object, type Shape, string } from '../shape.ts'

const ids = listOf(string)

/** Ids by what an import makes of them. */
export const importDiff = named('ImportDiff', object({ added: ids, changed: ids, removed: ids, unchanged: ids }))

/** The version of the form of import files. */
export const version: Shape<1> = { describe: () => ({ const: 1 }) }

/** A document as the text of an export. */
export const jsonFile = { forms: ['json'], text: (document: object) => `${JSON.stringify(document, null, 2)}\n` }
