import type { Operation, Parameter } from '../../features/registry/contract.ts'
import { RegistryRefusal } from '../../features/registry/refusal.ts'

/**
 * Reads the parameters of an operation out of path and query, by the types of its description. Parameters that it does not know are left alone; one
 * that is given twice, and one that the description names as not served, is refused. Throws RegistryRefusal 400.
 */
export function queryArguments(
  { parameters, notServed }: Operation,
  captured: readonly string[],
  url: string,
): Readonly<Record<string, unknown>> {
  const at = url.indexOf('?')
  const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1))
  const args: Record<string, unknown> = {}
  const other = notServed.find((name) => query.has(name))
  if (other !== undefined) {
    const known = parameters.map(({ name }) => name).join(', ')
    throw new RegistryRefusal(400, 'filter_not_served', `${other} is not served here: leave it out; parameters are ${known}`)
  }
  let place = 0
  for (const parameter of parameters) {
    if (parameter.in === 'path') {
      args[parameter.name] = decodeSegment(captured[place] ?? '', parameter.name)
      place += 1
      continue
    }
    const given = query.getAll(parameter.name)
    if (given.length > 1) throw refusal(parameter.name, 'may be given once')
    const [text] = given
    if (text !== undefined) args[parameter.name] = typedValue(text, parameter)
  }
  return args
}

function typedValue(text: string, { name, schema }: Parameter): unknown {
  if (schema.type === 'integer') {
    if (!/^\d{1,9}$/.test(text)) throw refusal(name, 'must be a whole number')
    return Number(text)
  }
  if (schema.type === 'boolean') {
    if (text === 'true' || text === '1') return true
    if (text === 'false' || text === '0') return false
    throw refusal(name, 'must be true or false')
  }
  return text
}

function decodeSegment(segment: string, name: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw refusal(name, 'is not valid percent-encoding')
  }
}

function refusal(name: string, what: string): RegistryRefusal {
  return new RegistryRefusal(400, `invalid_${name}`, `${name} ${what}`)
}
