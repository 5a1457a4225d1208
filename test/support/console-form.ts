type Field = readonly [name: string, value: string]

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const plain = (text: string) => text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole)
const attributeOf = (tag: string, name: string) => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? undefined : plain(value)
}

/** What a browser without scripts would send of the first form of a page whose action ends with a text, without its buttons and the token against forgery. */
export function formFields(page: string, action: string): readonly Field[] {
  const forms = page.match(/<form [\s\S]*?<\/form>/g) ?? []
  const form = forms.find((each) => attributeOf(each.slice(0, each.indexOf('>') + 1), 'action')?.endsWith(action))
  if (form === undefined) throw new Error(`no form for ${action}`)
  const fields: Field[] = []
  for (const [tag] of form.matchAll(/<input [^>]*>|<select [\s\S]*?<\/select>|<textarea [\s\S]*?<\/textarea>/g)) {
    const head = tag.slice(0, tag.indexOf('>') + 1)
    const name = attributeOf(head, 'name') ?? ''
    if (name === 'csrf') continue
    if (tag.startsWith('<textarea')) fields.push([name, plain(tag.slice(head.length, -'</textarea>'.length))])
    else if (tag.startsWith('<select')) {
      const options = tag.match(/<option [^>]*>/g) ?? []
      const chosen = options.find((each) => / selected[ >]/.test(each)) ?? options[0] ?? ''
      fields.push([name, attributeOf(chosen, 'value') ?? ''])
    } else if (attributeOf(head, 'type') !== 'checkbox' || / checked[ >=]/.test(head))
      fields.push([name, attributeOf(head, 'value') ?? ''])
  }
  return fields
}

/** Fields with other values; a name that is not among them is added. */
export function filledIn(fields: readonly Field[], values: Readonly<Record<string, string>>): readonly Field[] {
  const others = fields.filter(([name]) => !Object.hasOwn(values, name))
  return [...others, ...Object.entries(values)]
}
