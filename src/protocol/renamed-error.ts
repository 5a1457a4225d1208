import { AdcpError } from './errors.ts'

/** An error about members of a request by other names for them: `packages[0].budget` is `purchases[0].budget` to a caller who sent purchases. */
export function renamedError(error: AdcpError, names: Readonly<Record<string, string>>): AdcpError {
  const pairs = Object.entries(names)
  if (pairs.length === 0) return error
  const text = (value: string) =>
    pairs.reduce((changed, [from, to]) => changed.replaceAll(`${from}[`, `${to}[`).replaceAll(`${from}.`, `${to}.`), value)
  const field = (value: string) =>
    pairs.reduce((changed, [from, to]) => (isBelow(changed, from) ? to + changed.slice(from.length) : changed), value)
  const pointer = (value: string) =>
    pairs.reduce((changed, [from, to]) => {
      const [start, end] = [`/${from}`, `/${to.replaceAll('.', '/')}`]
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

function isBelow(field: string, member: string): boolean {
  return field === member || field.startsWith(`${member}.`) || field.startsWith(`${member}[`)
}
