import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Functions of operator/ that the admin API does not offer, each with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...because('works on files, stores and processes of the machine', [
    'addRelease',
    'backUp',
    'carryOverStore',
    'compareSchema',
    'copyDeployment',
    'exportLines',
    'hasStore',
    'importMirror',
    'initialise',
    'migrateSchema',
    'readSecretState',
    'retireSecret',
    'rotateSecret',
    'restoreBackup',
  ]),
  ...because('asks sellers of others, for whoever runs the command', ['checkSeller', 'signReport']),
  ...because('belongs to a person at a browser: sign-in, second factors, sessions, own password', [
    'acceptInvitation',
    'addPasskey',
    'addTotp',
    'beginSession',
    'beginSignInElsewhere',
    'finishSignIn',
    'finishSignInElsewhere',
    'changePassword',
    'findOpenSignIn',
    'findSignedIn',
    'hasFactor',
    'inviteFirstAdministrator',
    'isRecent',
    'listSessions',
    'ownFactors',
    'passkeyQuestion',
    'relyingPartyOf',
    'removeFactor',
    'renewRecoveryCodes',
    'requiresFactor',
    'setUpPasskey',
    'setUpTotp',
    'showInvitation',
    'signIn',
    'signOut',
    'signOutElsewhere',
  ]),
  ...because('turns text into values, or values into text, for one face', [
    'averageText',
    'certificateNames',
    'changeTexts',
    'clearingText',
    'closedReads',
    'journalCsv',
    'accrualCsv',
    'agedAmounts',
    'ageingCsv',
    'chooseTenant',
    'describeAuthorization',
    'describeHolder',
    'describeWait',
    'leaseOf',
    'explainFailure',
    'importFileOf',
    'list',
    'openApproval',
    'percentOf',
    'placementsCell',
    'snakeMembers',
    'presentVerdict',
    'quotedCell',
    'readCredentials',
    'readOptions',
    'readPercent',
    'placementCsv',
    'reportCsv',
    'reportWorkbook',
    'ordersCsv',
    'sharedDaysText',
    'productFileInTurns',
    'whatText',
  ]),
  ...because('is a step of a larger act, which the API has whole', [
    'accountCurrency',
    'checkedValues',
    'describeUnserved',
    'inImportTurn',
    'withProductTable',
    'describeUnservedAfter',
    'guardedStore',
    'forgetfulStore',
    'examineAgent',
    'insightOf',
    'isMapped',
    'mapTable',
    'mayCarryOut',
    'orderOffPlan',
    'ordersOfProducts',
    'productFileProblems',
    'requireChangeable',
    'requireDomain',
    'startsSoonWithoutCreatives',
    'visibilityOf',
    'whensOf',
    'readUploadedTable',
    'repairTable',
    'suggestColumns',
    'validateAdagentsFile',
  ]),
  ...because('shows at once what other operations of the API have', [
    'channelSettings',
    'countOpen',
    'inventoryOf',
    'linesBehind',
    'listSettings',
    'nameAccounts',
    'namePayers',
    'nameOrderParts',
    'nameProducts',
    'newestChange',
    'publisherCalendar',
    'recentRevenue',
  ]),
  ...because('is what an act does, for a face that reads a file, shows how far it is, or writes page by page', [
    'allPages',
    'crawlListPages',
    'crawlPublishers',
    'exclusionPages',
    'buildAdagents',
    'exportAudit',
    'inspectDeployment',
    'joinCrawlList',
    'listTenants',
    'validateServedAdagents',
    'verifyPublisher',
    'verifySupplyPath',
  ]),
  ...because('plays a buyer, or the receiver of a buyer’s webhooks', ['createReceiver', 'expectationOf', 'playFirstBuy']),
  ...because('shows at once what approvals, the audit log, and the directory of the deployment, have', [
    'decisionFacts',
    'knownTasks',
    'lastActOn',
    'nameOrders',
  ]),
  ...because('words for what an operation answers', [
    'aboutOf',
    'describeElsewhere',
    'packagesText',
    'describeHolder',
    'describeWait',
    'driftWords',
    'isPercent',
    'repetitionText',
    'savedDays',
    'savedFilter',
    'needsRole',
    'stateTitle',
  ]),
  ...because('makes the document of verify-seller, which asks sellers and reads nothing of the deployment', [
    'checkDocument',
    'reportKey',
  ]),
  ...because('lays out a table on the command line', ['aligned', 'columnWidths', 'headingLines']),
  ...because('asks the agent of a brand, and reads nothing of the deployment', ['askBrand', 'askInstruments']),
}

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]))
}

test('every act of the command line and of the console is an operation of the admin API', () => {
  const used = new Set([...operatorFunctions('src/cli'), ...operatorFunctions('src/console')])
  const offered = operatorFunctions('src/admin-api')
  const missing = [...used].filter((name) => !offered.has(name) && !Object.hasOwn(ELSEWHERE, name))
  expect(missing.sort()).toEqual([])
  const stale = Object.keys(ELSEWHERE).filter((name) => !used.has(name) || offered.has(name))
  expect(stale).toEqual([])
})

/** Names of functions of operator/ that the files of a folder import. */
function operatorFunctions(folder: string): Set<string> {
  const exported = new Set(
    sources('src/operator').flatMap((text) =>
      [...text.matchAll(/^export (?:async )?function\*? (\w+)/gm)].map(([, name = '']) => name),
    ),
  )
  const imported = sources(folder).flatMap((text) =>
    [...text.matchAll(/^import \{([^}]*)\} from '[./]*\/operator\/[^']*'/gm)].flatMap(([, names = '']) =>
      names.split(',').map((each) => each.trim().split(' as ')[0] ?? ''),
    ),
  )
  return new Set(imported.filter((name) => exported.has(name)))
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}
