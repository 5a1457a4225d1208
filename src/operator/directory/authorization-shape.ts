import { DISCOVERY_METHODS } from '../../domain/directory/claim.ts'
import { FILE_FORMS } from '../../domain/directory/file-form.ts'
import { about, boolean, either, integer, listOf, moment, object, optional, orNull, string, word } from '../shape.ts'

const granted = object({
  authorized: word(true),
  publisher_domain: string,
  discovery_method: word(...DISCOVERY_METHODS),
  manager_domain: orNull(string),
  property_ids: listOf(string),
  properties_total: integer,
  signing_keys_pinned: boolean,
  file_form: about('authorized_agents[] of the official schema, or the short form agents[]', word(...FILE_FORMS)),
  held_until: optional(about('until when this directory holds it back after a revocation', moment)),
  revoked_by: optional(about('address of the file that revoked it', string)),
})

const refused = object({
  authorized: word(false),
  publisher_domain: string,
  serves_file: boolean,
  answered: about('false: its files could not be read, so that it is unknown what it authorises', boolean),
  reason: string,
  listed_by: optional(
    about('address of a manager’s file by which this directory lists the agent; the publisher itself does not name it', string),
  ),
})

/** What a publisher's own file says of an agent. */
export const authorizationShape = either(granted, refused)
