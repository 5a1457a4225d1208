/** Longer values, such as the code of a tag, are cut. */
const LONGEST = 120

/** A value of an order as one line of text: `none`, `DE, AT`, or JSON for what is no text and no list of texts. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  const isList = Array.isArray(value) && value.every((each) => typeof each !== 'object')
  const text = typeof value === 'string' ? value : isList ? value.join(', ') : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}
