/**
 * The answer that each kind of credentials gets for each kind of task. The test plays each cell against a running server;
 * docs/authentication.md shows the same table.
 */

/** Kinds of tasks, each with the one that the test calls. */
export const TASK_KINDS = {
  public: 'get_adcp_capabilities',
  limited: 'get_products',
  read: 'list_accounts',
  change: 'sync_accounts',
} as const

export type TaskKind = keyof typeof TASK_KINDS
export type Profile = '3.0' | '3.1'

/** The answer, or the refusal: HTTP 401 with this code and challenge. */
export type Cell = 'answered' | Refusal

export interface Refusal {
  readonly code: 'AUTH_REQUIRED' | 'AUTH_INVALID'
  readonly recovery: 'correctable' | 'terminal'
  /** `WWW-Authenticate`; `<agent>` stands for the address of the agent. */
  readonly challenge: string
}

const missing: Refusal = { code: 'AUTH_REQUIRED', recovery: 'correctable', challenge: 'Bearer realm="<agent>"' }
const unsigned: Refusal = {
  code: 'AUTH_REQUIRED',
  recovery: 'correctable',
  challenge: 'Signature error="request_signature_required"',
}
const wrong = (challenge: string): Refusal => ({ code: 'AUTH_INVALID', recovery: 'terminal', challenge })
const wrongBearer = wrong('Bearer realm="<agent>", error="invalid_token"')
const wrongPassword = wrong('Basic realm="<agent>", charset="UTF-8"')
const wrongSignature = (fault: string) => wrong(`Signature error="request_signature_${fault}"`)

export interface Row {
  /** Key into the test's senders. */
  readonly credentials: string
  /** Absent: the same on every transport. */
  readonly transport?: 'MCP' | 'A2A'
  /** The same under both profiles. */
  readonly cells: Readonly<Record<Exclude<TaskKind, 'change'>, Cell>>
  /** Tasks that change state. */
  readonly change: Readonly<Record<Profile, Cell>>
}

const everywhere = (cell: Cell) => ({ public: cell, limited: cell, read: cell })

/** Credentials that count until a signature is asked for. */
const counted = { cells: everywhere('answered'), change: { '3.0': 'answered', '3.1': unsigned } } as const
/** Credentials that do not count: under 3.1 a change is told first that it has to be signed. */
const refused = (cell: Refusal) => ({ cells: everywhere(cell), change: { '3.0': cell, '3.1': unsigned } })
/** A claim to be signed is judged by itself, whatever the profile. */
const claimed = (cell: Cell) => ({ cells: everywhere(cell), change: { '3.0': cell, '3.1': cell } })
const nothing = {
  cells: { public: 'answered', limited: 'answered', read: missing },
  change: { '3.0': missing, '3.1': unsigned },
} as const

export const MATRIX: readonly Row[] = [
  { credentials: 'none', ...nothing },
  { credentials: 'Bearer key', ...counted },
  { credentials: 'Bearer JWT', ...counted },
  { credentials: 'Basic', ...counted },
  { credentials: 'signature', ...claimed('answered') },
  { credentials: 'signature and key of the same agent', ...claimed('answered') },
  {
    credentials: 'key of an agent that has to sign',
    cells: everywhere('answered'),
    change: { '3.0': unsigned, '3.1': unsigned },
  },
  { credentials: 'unknown key', ...refused(wrongBearer) },
  { credentials: 'revoked key', ...refused(wrongBearer) },
  { credentials: 'expired JWT', ...refused(wrongBearer) },
  { credentials: 'JWT of another issuer', ...refused(wrongBearer) },
  { credentials: 'wrong password', ...refused(wrongPassword) },
  { credentials: 'unknown user', ...refused(wrongPassword) },
  { credentials: 'another scheme', ...refused(wrongBearer) },
  { credentials: 'two Authorization headers', ...refused(wrongBearer) },
  { credentials: 'key in the old header, MCP', transport: 'MCP', ...counted },
  { credentials: 'key in the old header, A2A', transport: 'A2A', ...refused(missing) },
  { credentials: 'key in another header', ...refused(missing) },
  { credentials: 'signature that does not verify', ...claimed(wrongSignature('invalid')) },
  { credentials: 'signature by an unknown key', ...claimed(wrongSignature('key_unknown')) },
  { credentials: 'signature by a revoked key', ...claimed(wrongSignature('key_revoked')) },
  { credentials: 'half a signature beside a good key', ...claimed(wrongSignature('header_malformed')) },
  { credentials: 'bad signature beside a good key', ...claimed(wrongSignature('invalid')) },
  { credentials: 'signature of one agent, key of another', ...claimed(wrongBearer) },
]

/** The table as Markdown. */
export function matrixTable(): string {
  const rows = MATRIX.map(({ credentials, cells, change }) =>
    [credentials, cells.public, cells.limited, cells.read, change['3.0'], change['3.1']].map(textOf).join(' | '),
  )
  return [
    '| credentials | public task | limited task | reading task | changing task, profile 3.0 | changing task, profile 3.1 |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}

function textOf(cell: string | Refusal): string {
  if (typeof cell === 'string') return cell
  const parameter = /error="([^"]+)"/.exec(cell.challenge)?.[1]
  return `401 ${cell.code}, ${cell.challenge.split(' ', 1)[0]}${parameter === undefined ? '' : ` \`${parameter}\``}`
}
