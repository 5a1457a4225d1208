import { addressBucket } from '../../platform/net/client-address.ts'
import { createRateLimit, type RateLimit } from '../../platform/net/rate-limit.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import type { Schema, Schemas, Validate } from '../../protocol/schemas.ts'
import type { AuditNotes } from '../audit/audit.ts'
import type { Arguments } from './arguments.ts'
import { authorizationOperations } from './authorization-operations.ts'
import {
  answerOf,
  argumentsOf,
  describedSchemas,
  type Operation,
  operationsOf,
  type Rate,
  REGISTRY_DOCUMENT,
  withDefaults,
} from './contract.ts'
import type { PlatformIdentity, RegistryDeps } from './deps.ts'
import { type Answer, WithHeaders } from './operations.ts'
import { createOutboundGate } from './outbound-gate.ts'
import { readOperations } from './read-operations.ts'
import { RegistryRefusal } from './refusal.ts'
import { resolveOperations } from './resolve-operations.ts'
import { writeOperations } from './write-operations.ts'

/** Uses of a kind of operation from one address (of one identity, for writes) in a window. */
export interface RegistryLimits {
  readonly reads: number
  readonly resolves: number
  readonly bulks: number
  readonly writes: number
  readonly windowSeconds: number
}

export interface RegistryCaller {
  /** Address of the peer, for limits. */
  readonly address: string
  /** Absent: anybody. */
  readonly identity?: PlatformIdentity | undefined
  readonly requestId: string
  readonly transport: string
}

/** The registry behind its transports. */
export interface Registry {
  readonly operations: readonly Operation[]
  /** The description that the transports publish. */
  readonly document: Schema
  /**
   * Runs an operation: limit, arguments, work, and the answer held against its schema. Throws RegistryRefusal and what
   * {@link asRegistryRefusal} knows; anything else is a fault.
   */
  perform(operation: Operation, args: Arguments, caller: RegistryCaller): Promise<Answer>
  /** Records in the audit log what a transport refused: an operation that writes, or (undefined) a caller before it named one. */
  refused(operation: Operation | undefined, code: string, caller: RegistryCaller): void
}

/** A bulk of a hundred domains fits one caller's line; four such callers at once, and the next is asked to come back. */
const OUTBOUND = { running: 16, runningPerCaller: 4, waiting: 400, waitingPerCaller: 120 }

/** Composes the operations of the document with what does their work. Throws when one has none. */
export function createRegistry(deps: RegistryDeps, schemas: Schemas, limits: RegistryLimits, audit: AuditNotes): Registry {
  const document = schemas.document(REGISTRY_DOCUMENT)
  const operations = operationsOf(document)
  const gate = createOutboundGate(OUTBOUND)
  const handlers = { ...readOperations(deps), ...authorizationOperations(deps), ...resolveOperations(deps, gate) }
  const writers = writeOperations(deps, gate)
  const missing = operations.filter(({ id, needsIdentity }) => !Object.hasOwn(needsIdentity ? writers : handlers, id))
  if (missing.length > 0) throw new Error(`no work for ${missing.map(({ id }) => id).join(', ')}`)
  const limitOf = rateLimits(limits, deps)
  const described = describedSchemas(operations)
  const validators = new Map<string, Validate>()
  const check = (name: string): Validate => {
    const known = validators.get(name)
    if (known) return known
    const schema = described.get(name)
    if (!schema) throw new Error(`the description has no schema for ${name}`)
    const validate = schemas.compile(name, schema)
    validators.set(name, validate)
    return validate
  }

  const factsOf = (operation: Operation | undefined, { requestId, transport, identity }: RegistryCaller) => ({
    requestId,
    transport,
    task: operation === undefined ? 'registry' : `registry.${operation.id}`,
    at: deps.clock(),
    tenant: identity?.tenant,
    principal: identity?.principal,
    credential: identity?.credential,
  })

  const work = async (operation: Operation, args: Arguments, caller: RegistryCaller): Promise<Answer> => {
    const { identity, address } = caller
    if (!operation.needsIdentity) {
      const handler = handlers[operation.id]
      if (!handler) throw new Error(`no work for ${operation.id}`)
      const body = await handler(args, addressBucket(address))
      return { status: 200, ...(body instanceof WithHeaders ? body : { body }) }
    }
    const writer = writers[operation.id]
    if (!writer || !identity) throw new RegistryRefusal(401, 'unauthorized', 'this needs a platform identity')
    return writer(args, identity, (tx, subject) => audit.change(tx, { ...factsOf(operation, caller), subject }))
  }

  return {
    operations,
    document,
    refused(operation, code, caller) {
      if (operation && !operation.needsIdentity) return
      audit.ended({ ...factsOf(operation, caller), outcome: code })
    },
    async perform(operation, given, caller) {
      const { id } = operation
      await limitOf[operation.rate](operation.rate === 'write' ? (caller.identity?.id ?? '') : addressBucket(caller.address))
      const args = withDefaults(operation, given)
      const [issue] = check(argumentsOf(operation))(args)
      if (issue) {
        const field = fieldOf(issue.pointer)
        throw new RegistryRefusal(
          400,
          `invalid_${field.split(/\W/, 1)[0] || 'request'}`,
          `${field || 'the request'} ${issue.message}`,
        )
      }
      const answer = await work(operation, args, caller)
      const [fault] = check(answerOf(operation, answer.status))(answer.body)
      if (fault) throw new Error(`the answer of ${id} breaks its schema: ${fault.pointer} ${fault.message}`)
      return answer
    },
  }
}

function rateLimits(limits: RegistryLimits, { counters }: RegistryDeps): Readonly<Record<Rate, RateLimit>> {
  const limitOf = (name: string, what: string, limit: number) =>
    createRateLimit({ name: `registry-${name}`, what, limit, windowSeconds: limits.windowSeconds, scope: 'global', counters })
  return {
    read: limitOf('reads', 'questions', limits.reads),
    resolve: limitOf('resolves', 'calls that fetch from outside', limits.resolves),
    bulk: limitOf('bulks', 'calls that fetch much from outside', limits.bulks),
    write: limitOf('writes', 'changes', limits.writes),
  }
}
