import { ROUTE_METHODS } from '../../domain/directory/claim.ts'
import { ORIGINS, SERVED } from '../../domain/directory/crawled-publisher.ts'
import { FILE_FORMS } from '../../domain/directory/file-form.ts'
import { ROW_STATUSES } from '../../domain/directory/lookup-query.ts'
import { required, text } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, boolean, integer, moment, named, object, optional, orNull, string, word } from '../shape.ts'
import { domainText } from '../text-form.ts'

/** What all acts on the directory of the deployment have. */
export const OF_DEPLOYMENT = { roles: ADMINISTRATORS, scope: 'deployment' } as const

/** The fields that name a publisher of the directory, and an agent. */
export const DOMAIN = required(domainText('domain of the publisher'))
export const AGENT_URL = required(text('the agent'))

export const serves = about('what its well-known address serves, as far as is known', word(...SERVED))
export const method = orNull(word(...ROUTE_METHODS))

/** What one file claims for one agent. */
export const claimShape = named(
  'ExplainedClaim',
  object({
    agent_url: string,
    discovery_method: string,
    manager_domain: orNull(string),
    file_url: about('address of the file that the claim comes from', string),
    file_form: about('authorized_agents[] of the official schema, or the short form agents[]', word(...FILE_FORMS)),
    status: word(...ROW_STATUSES),
    properties_authorized: integer,
    properties_total: integer,
    signing_keys_pinned: boolean,
    last_verified_at: moment,
    since: about('since when the publisher has authorised the agent; null where that was not recorded', orNull(string)),
    shown: about('whether lookups show it', boolean),
    hidden_because: optional(string),
  }),
)

/** A row of the crawl list. */
export const publisherShape = named(
  'DirectoryPublisherRow',
  object({
    publisher_domain: string,
    origin: word(...ORIGINS),
    serves,
    self_blocked_until: orNull(string),
    route_method: method,
    route_manager: orNull(string),
    route_document_id: orNull(string),
    pointer_adopted: orNull(string),
    pointer_pending: orNull(string),
    pointer_pending_since: orNull(string),
    failures: integer,
    next_attempt_at: moment,
    priority: about('1 for a name that only a selector mentions: it waits behind all names with 0', integer),
    named_by: about('the file that put a name with priority 1 on the list', orNull(string)),
    barren_since: about('since when every visit has given nothing; null after a success', orNull(string)),
    lease_owner: orNull(string),
    lease_until: orNull(string),
    added_at: moment,
  }),
)
