import { AdcpError } from './errors.ts'

/**
 * An error about members of a request by other names for them: `packages[0].budget` is `purchases[0].budget` to a caller who sent purchases. A name such as `packages[].bid_price` is
 * that of a member of the entries of a list.
 */
export function renamedError(error: AdcpError, names: Readonly<Record<string, string>>): AdcpError {
  const pairs = Object.entries(names)
  if (pairs.length === 0) return error
  const text = (value: string) =>
    pairs.reduce((changed, [from, to]) => {
      if (isOfEntries(from)) return withEntries(changed, from, to)
      return changed.replaceAll(`${from}[`, `${to}[`).replaceAll(`${from}.`, `${to}.`)
    }, value)
  const field = (value: string) =>
    pairs.reduce((changed, [from, to]) => {
      if (isOfEntries(from)) return withEntries(changed, from, to)
      return isBelow(changed, from) ? to + changed.slice(from.length) : changed
    }, value)
  const pointer = (value: string) =>
    pairs.reduce((changed, [from, to]) => {
      if (isOfEntries(from)) return withEntries(changed, from, to, pointerOf)
      const [start, end] = [`/${from}`, pointerOf(to)]
      return changed === start || changed.startsWith(`${start}/`) ? end + changed.slice(start.length) : changed
    }, value)
  const { code, message, recovery, suggestion, retryAfter, details, http, cause } = error
  return new AdcpError(code, text(message), {
    ...(recovery !== undefined && { recovery }),
    ...(error.field !== undefined && { field: field(error.field) }),
    ...(error.issues !== undefined && { issues: error.issues.map((issue) => ({ ...issue, pointer: pointer(issue.pointer) })) }),
    ...(suggestion !== undefined && { suggestion: text(suggestion) }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(details !== undefined && { details }),
    ...(error.faults !== undefined && { faults: error.faults.map((each) => renamedError(each, names)) }),
    ...(http !== undefined && { http }),
    ...(cause !== undefined && { cause }),
  })
}

function isOfEntries(name: string): boolean {
  return name.includes('[].')
}

/** A text in which members of the entries of a list have their other name, whatever the entry. */
function withEntries(text: string, from: string, to: string, form = (name: string) => name): string {
  const [before = '', after = ''] = form(from).split('[]')
  const [start = '', end = ''] = form(to).split('[]')
  const parts = text.split(before)
  return parts.slice(1).reduce((whole, part) => {
    const [entry] = /^(?:\[\d*\]|\/\d+)/.exec(part) ?? []
    const isMeant = entry !== undefined && part.startsWith(after, entry.length)
    return whole + (isMeant ? start + entry + end + part.slice(entry.length + after.length) : before + part)
  }, parts[0] ?? '')
}

/** `packages[].bid_price` and `a.b` as pointers, with the place of an entry left open. */
function pointerOf(name: string): string {
  return `/${name.replaceAll('.', '/')}`
}

function isBelow(field: string, member: string): boolean {
  return field === member || field.startsWith(`${member}.`) || field.startsWith(`${member}[`)
}
