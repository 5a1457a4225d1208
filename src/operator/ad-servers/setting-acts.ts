import type { SettingsObject } from '../../ad-serving/backend-setup.ts'
import { DRIFT_POLICIES } from '../../domain/ad-serving/drift.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { defineAct } from '../act.ts'
import { flag, ids, object as jsonObject, oneOf, required, text, type Values } from '../fields.ts'
import { unservedNotes } from '../products/unserved-products.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { boolean, documentOf, either, listOf, named, type Of, object, string, word } from '../shape.ts'
import { adServerName } from '../text-form.ts'
import { removeStoredCredentials, setCredentials } from './ad-server-credentials.ts'
import {
  type AdServerChange,
  addAdServer,
  removeAdServer,
  setAdServer,
  watchedAdServer,
  watchedCredentials,
  watchedSetting,
} from './manage-ad-servers.ts'
import { NEW_AD_SERVER } from './named-ad-server.ts'

// Several acts in one file: they list, change and remove the same thing.

const NAME = required(adServerName('name of the ad server'))
const CREDENTIALS = jsonObject('a JSON object, as its type has it, such as the key file of a service account; stored encrypted')
const CHECK = flag('false: store them untried')
const SETTINGS = {
  options: jsonObject('settings of its type as a JSON object, without secrets'),
  drift: oneOf(DRIFT_POLICIES, 'what happens when the ad server differs from what was written there; default: leave'),
  products: ids('products that it serves; all: every product that no other ad server is set for, the default of a new one'),
  all_products: flag('the same as products: all'),
}

const settingShape = named(
  'AdServerSetting',
  object({
    name: string,
    type: string,
    options: documentOf<SettingsObject>('as its type has them'),
    drift: word(...DRIFT_POLICIES),
    products: either(word('all'), listOf(string)),
  }),
)
type Setting = Of<typeof settingShape>

const removedShape = object({ name: string, removed: boolean })
const shown = ({ name, type, products, drift }: Setting) => [
  `${name} (${type}) serves ${products === 'all' ? 'all products' : products.join(', ')}; drift: ${drift}`,
]
const UNTRIED = { check: 'store the credentials without trying them' }

export const setUpAdServer = defineAct({
  name: 'adservers.add',
  route: 'POST /ad-servers',
  id: 'addAdServer',
  roles: ADMINISTRATORS,
  summary: 'Sets an ad server up.',
  fields: {
    name: NEW_AD_SERVER,
    type: text('a built-in type: google_ad_manager, upstream or manual'),
    network: text('a network of Google Ad Manager: sets the type and options.network'),
    ...SETTINGS,
    credentials: CREDENTIALS,
    check: CHECK,
  },
  answer: settingShape,
  subject: 'name',
  command: {
    help: 'set up an ad server of a publisher',
    args: ['name'],
    without: ['all_products'],
    flags: { credentials: 'key' },
    files: ['credentials'],
    negations: UNTRIED,
    text: shown,
    notes: unservedNotes,
  },
  watch: watchedAdServer,
  run: (context, { name, type, network, credentials, check, ...change }) =>
    addAdServer(context, context.tenantId, {
      name,
      type: typeOf(type, network),
      ...changeOf(change),
      ...(network !== undefined && { options: { ...change.options, network } }),
      ...(credentials && { credentials, check }),
    }),
})

export const changeAdServer = defineAct({
  name: 'adservers.set',
  route: 'PATCH /ad-servers/{name}',
  id: 'setAdServer',
  roles: ADMINISTRATORS,
  summary: 'Changes an ad server that was added.',
  fields: { name: NAME, ...SETTINGS },
  answer: settingShape,
  command: { without: ['all_products'], text: shown, notes: unservedNotes },
  watch: watchedSetting,
  run: (context, { name, ...change }) => setAdServer(context, context.tenantId, { name, ...changeOf(change) }),
})

export const dropAdServer = defineAct({
  name: 'adservers.remove',
  route: 'DELETE /ad-servers/{name}',
  id: 'removeAdServer',
  roles: ADMINISTRATORS,
  summary: 'Removes an ad server that was added; refused while it has orders that are not over.',
  fields: { name: NAME },
  answer: removedShape,
  command: { text: ({ name }) => [`removed ${name} with its credentials`] },
  watch: watchedAdServer,
  async run(context, { name }) {
    await removeAdServer(context, context.tenantId, name)
    return { name, removed: true }
  },
})

export const dropCredentials = defineAct({
  name: 'adservers.remove-credentials',
  route: 'DELETE /ad-servers/{name}/credentials',
  id: 'removeCredentials',
  roles: ADMINISTRATORS,
  summary: 'Deletes the stored credentials of an ad server.',
  fields: { name: NAME },
  answer: removedShape,
  command: { text: ({ name }) => [`removed the credentials of ${name}`] },
  watch: watchedCredentials,
  async run(context, { name }) {
    await removeStoredCredentials(context, context.tenantId, name)
    return { name, removed: true }
  },
})

export const storeCredentials = defineAct({
  name: 'adservers.credentials',
  route: 'PUT /ad-servers/{name}/credentials',
  id: 'setCredentials',
  roles: ADMINISTRATORS,
  summary: 'Stores the credentials of an ad server, encrypted; they are tried first, and never shown again.',
  fields: { name: NAME, credentials: required(CREDENTIALS), check: CHECK },
  answer: object({ name: string, checked: boolean }),
  command: {
    help: 'store or rotate the credentials of an ad server, encrypted',
    flags: { credentials: 'file' },
    files: ['credentials'],
    negations: UNTRIED,
    instead: { flag: 'remove', about: 'delete them', act: dropCredentials, values: ({ name }) => ({ name }) },
    text: ({ name, checked }) => [`stored the credentials of ${name}${checked ? '; the ad server takes them' : ''}`],
  },
  watch: watchedCredentials,
  run: (context, values) => setCredentials(context, context.tenantId, values),
})

function typeOf(type: string | undefined, network: string | undefined): string {
  const named = type ?? (network === undefined ? undefined : 'google_ad_manager')
  if (named !== undefined) return named
  throw new AdcpError('INVALID_REQUEST', 'name the type, or a network of Google Ad Manager as network', { field: 'type' })
}

function changeOf({ all_products: isAll, products, ...change }: Values<typeof SETTINGS>): AdServerChange {
  const served = isAll || (products?.length === 1 && products[0] === 'all') ? ('all' as const) : products
  return { ...change, ...(served && { products: served }) }
}
