import type { ContractSource } from './contract-source.ts'
import { ADDED_CODES } from './errors.ts'
import type { Manifest, Recovery } from './manifest.ts'
import { Schemas } from './schemas.ts'

/** The contract of one release line as a value: its manifest, schemas, validators and error codes. Files are read on first use. */
export class Contract {
  /** The release line, e.g. `3.1`. */
  readonly line: string
  readonly schemas: Schemas

  constructor(source: ContractSource, schemas = new Schemas(source)) {
    this.line = source.line
    this.schemas = schemas
  }

  get manifest(): Manifest {
    return this.schemas.manifest
  }

  /** Whether the release has a task. Tasks of this server's own (`list_agent_publishers`) belong to every release. */
  has(task: string): boolean {
    return this.schemas.pathsOf(task) !== undefined
  }

  /** The protocol area of a task as enums/adcp-protocol spells it (`media-buy`); undefined for a task outside the manifest. */
  protocolOf(task: string): string | undefined {
    return this.manifest.tools[task]?.protocol.replaceAll('_', '-')
  }

  /** Recovery class of an error code; an unknown code is `terminal`, so that a client never repeats a call because of a fault of ours. */
  recoveryOf = (code: string): Recovery => this.manifest.error_codes[code]?.recovery ?? ADDED_CODES.get(code) ?? 'terminal'

  /** Whether a code is one that this server may put on the wire under this release. */
  knowsCode(code: string): boolean {
    return code in this.manifest.error_codes || ADDED_CODES.has(code)
  }
}
