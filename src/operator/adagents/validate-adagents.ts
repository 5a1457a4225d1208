import type { Config } from '../../config/config.ts'
import { publisherDomain } from '../../domain/directory/publisher-domain.ts'
import { fetchAdagents, isAnswer } from '../../features/directory/fetch-adagents.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { type AdagentsVerdict, judgeAdagents, judgeDomain } from '../../features/registry/validate-adagents.ts'
import { AUTHORITATIVE_POLICY } from '../../platform/net/fetch-policy.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { ImportFile } from '../imports/import-document.ts'
import { importError, parseJson } from '../imports/import-problems.ts'

export type { AdagentsVerdict }

interface Judging {
  readonly schemas: Schemas
  readonly now: Date
}

/** A verdict, and the file or URL that it is about. */
export interface LocatedVerdict extends AdagentsVerdict {
  readonly where: string
  /** False: what is served could not be fetched, so that it is unknown whether it is valid. */
  readonly answered: boolean
}

/** What is wrong with an adagents.json. `publisher`: the domain that it is for, when that is known. */
export function judgeDocument(document: unknown, { schemas, now }: Judging, publisher?: string): Promise<AdagentsVerdict> {
  const check = schemas.validator('adagents.json')
  return judgeAdagents(document, check, { now: now.getTime(), ...(publisher !== undefined && { publisher }) })
}

/** Judges a file. Throws INVALID_REQUEST when it is no JSON. */
export async function validateAdagentsFile(file: ImportFile, judging: Judging): Promise<LocatedVerdict> {
  const read = await parseJson(file.text)
  if (!read.ok) throw importError(file, read.problems)
  return { where: file.name, answered: true, ...(await judgeDocument(read.value, judging)) }
}

/** Judges what an https URL or a domain serves. Throws INVALID_REQUEST when it is neither. */
export async function validateServedAdagents(config: Config, where: string, judging: Judging): Promise<LocatedVerdict> {
  const fetch = directoryFetch(config)
  if (/^https?:\/\//i.test(where)) {
    const outcome = await fetchAdagents(fetch, where, AUTHORITATIVE_POLICY)
    const answered = isAnswer(outcome)
    if (outcome.kind === 'fetched') return { where, answered, ...(await judgeDocument(outcome.document, judging)) }
    const reason = outcome.kind === 'unchanged' ? 'the server answered 304 to an unconditional request' : outcome.reason
    return { where, answered, valid: false, errors: [reason], warnings: [], pointsAt: undefined, agents: 0, properties: 0 }
  }
  const domain = publisherDomain(where)
  if (domain === undefined)
    throw new AdcpError('INVALID_REQUEST', `${where} is no file, no https URL and no domain`, { field: 'where' })
  const check = judging.schemas.validator('adagents.json')
  const deps = { fetch, check, now: judging.now.getTime(), isForOperator: true }
  const { url, answered, valid, errors, warnings, agents, properties } = await judgeDomain(domain, deps)
  return { where: url, answered, valid, errors, warnings, pointsAt: undefined, agents, properties }
}
