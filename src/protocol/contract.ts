import type { ContractSource } from './contract-source.ts'
import {
  earlierRequest,
  type Json,
  type LineConverter,
  laterAnswer,
  laterCode,
  type RequestContext,
} from './converters/line-converter.ts'
import { ADDED_CODES, type AdcpError } from './errors.ts'
import type { Manifest, Recovery } from './manifest.ts'
import type { ReleaseRules } from './release-rules.ts'
import { Schemas } from './schemas.ts'

/** The contract of one release line as a value: its manifest, schemas, validators and error codes. Files are read on first use. */
export class Contract {
  /** The release line, e.g. `3.1`. */
  readonly line: string
  readonly schemas: Schemas
  /** What this line and those before it brought. */
  readonly rules: ReleaseRules
  /** The steps from the lowest line to this one, ascending; none for the lowest. */
  readonly #steps: readonly LineConverter[]
  /** The steps to the lines after this one. */
  readonly #after: readonly LineConverter[]
  #taskTypes: ReadonlySet<string> | undefined

  /** `steps`: the converters of the lines above the lowest one, up to this one, ascending; `after`: those of the lines above it. */
  constructor(source: ContractSource, steps: readonly LineConverter[] = [], after: readonly LineConverter[] = []) {
    this.line = source.line
    this.schemas = new Schemas(source)
    this.#steps = steps
    this.#after = after
    this.rules = Object.assign({}, ...steps.map(({ rules = {} }) => rules))
  }

  /** Whether requests come in another model than that of the tasks, which is that of the lowest line. */
  get isConverted(): boolean {
    return this.#steps.length > 0
  }

  /** A valid request of this release in the model of the tasks. */
  requestForTask(task: string, request: Json, context: RequestContext): Json {
    return earlierRequest(this.#steps, task, request, context)
  }

  /** What a task answers, as this release shows it. From 3.1 on an answer names its release and the status of its task (core/protocol-envelope). */
  answerOf(task: string, answer: Json): Json {
    if (this.isClosed(task)) return answer
    const shown = laterAnswer(this.#steps, task, answer, this.#after)
    return this.isConverted ? { adcp_version: this.line, status: 'completed', ...shown } : shown
  }

  /** Whether answers of a task have no members of the envelope at their root. */
  isClosed(task: string): boolean {
    return this.#steps.some(({ closed = [] }) => closed.includes(task))
  }

  /** The release that answers, errors and webhooks name; those of the lowest line name none. */
  get namedLine(): string | undefined {
    return this.isConverted ? this.line : undefined
  }

  /** An error of a task under the code that this release has for it, and so the errors that it represents. */
  errorOf(task: string, error: AdcpError): AdcpError {
    const code = laterCode(this.#steps, task, error.code)
    return code === error.code && error.faults === undefined
      ? error
      : error.withCode(
          code,
          error.faults?.map((each) => this.errorOf(task, each)),
        )
  }

  get manifest(): Manifest {
    return this.schemas.manifest
  }

  /** Whether the release has a task and it is served. Tasks of this server's own (`list_agent_publishers`) belong to every release. */
  has(task: string): boolean {
    return this.schemas.pathsOf(task) !== undefined && this.withheld(task) === undefined
  }

  /** Why a task of this release is not served in it; undefined for all others. */
  withheld(task: string): string | undefined {
    const reasons = this.#steps.map(({ withheld = {} }) => (Object.hasOwn(withheld, task) ? withheld[task] : undefined))
    return reasons.find((reason) => reason !== undefined)
  }

  /** The protocol area of a task as enums/adcp-protocol spells it (`media-buy`); undefined for a task outside the manifest. */
  protocolOf(task: string): string | undefined {
    return this.manifest.tools[task]?.protocol.replaceAll('_', '-')
  }

  /** The operations that a task of this release may be of (enums/task-type.json). */
  get taskTypes(): ReadonlySet<string> {
    this.#taskTypes ??= new Set([this.schemas.document('enums/task-type.json').enum].flat().map(String))
    return this.#taskTypes
  }

  /** Recovery class of an error code; an unknown code is `terminal`, so that a client never repeats a call because of a fault of ours. */
  recoveryOf = (code: string): Recovery => this.manifest.error_codes[code]?.recovery ?? ADDED_CODES.get(code) ?? 'terminal'

  /** Whether a code is one that this server may put on the wire under this release. */
  knowsCode(code: string): boolean {
    return code in this.manifest.error_codes || ADDED_CODES.has(code)
  }
}
