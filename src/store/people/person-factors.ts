import type { Db } from '../database.ts'

/** The authenticator app of a person. `secret` is sealed. */
export interface PersonTotp {
  readonly personId: string
  readonly secret: string
  /** The newest time step whose code was used. */
  readonly lastStep: number
  /** Wrong codes since the last right one. */
  readonly wrongCodes: number
  readonly createdAt: string
  readonly usedAt: string | undefined
}

/** A passkey of a person. */
export interface PersonPasskey {
  readonly credentialId: string
  readonly personId: string
  readonly name: string
  /** COSE, base64url. */
  readonly publicKey: string
  readonly counter: number
  readonly transports: readonly string[]
  readonly createdAt: string
  readonly usedAt: string | undefined
}

/** The second factors of a person. */
export interface PersonFactors {
  readonly totp: PersonTotp | undefined
  readonly passkeys: readonly PersonPasskey[]
  /** How many recovery codes are left. */
  readonly recoveryCodes: number
}

/** Where the sealed secret of an app belongs, so that it opens in no other row. */
export function totpPlace(personId: string): string {
  return `person_totps/${personId}`
}

export async function findFactors(db: Db, personId: string): Promise<PersonFactors> {
  const totp = await db.selectFrom('person_totps').selectAll().where('person_id', '=', personId).executeTakeFirst()
  const passkeys = await db
    .selectFrom('person_passkeys')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('created_at')
    .orderBy('credential_id')
    .execute()
  const { count } = await db
    .selectFrom('person_recovery_codes')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return {
    totp: totp && {
      personId,
      secret: totp.secret,
      lastStep: Number(totp.last_step),
      wrongCodes: totp.wrong_codes,
      createdAt: totp.created_at,
      usedAt: totp.used_at ?? undefined,
    },
    passkeys: passkeys.map((row) => ({
      credentialId: row.credential_id,
      personId,
      name: row.name,
      publicKey: row.public_key,
      counter: Number(row.counter),
      transports: JSON.parse(row.transports),
      createdAt: row.created_at,
      usedAt: row.used_at ?? undefined,
    })),
    recoveryCodes: Number(count),
  }
}

/** Who has a second factor, and which: an app, and how many passkeys. People without one are not in it. */
export async function listFactors(db: Db): Promise<ReadonlyMap<string, { readonly totp: boolean; readonly passkeys: number }>> {
  const apps = await db.selectFrom('person_totps').select('person_id').execute()
  const passkeys = await db
    .selectFrom('person_passkeys')
    .select((eb) => ['person_id', eb.fn.countAll().as('count')])
    .groupBy('person_id')
    .execute()
  const counts = new Map(passkeys.map(({ person_id: id, count }) => [id, Number(count)]))
  const withApp = new Set(apps.map(({ person_id: id }) => id))
  const people = [...new Set([...withApp, ...counts.keys()])]
  return new Map(people.map((id) => [id, { totp: withApp.has(id), passkeys: counts.get(id) ?? 0 }]))
}

/** Sets the authenticator app of a person, in place of the one that there is. */
export async function saveTotp(tx: Db, totp: Pick<PersonTotp, 'personId' | 'secret' | 'lastStep'>, now: Date): Promise<void> {
  const values = {
    secret: totp.secret,
    last_step: totp.lastStep,
    wrong_codes: 0,
    created_at: now.toISOString(),
    used_at: null,
  }
  await tx
    .insertInto('person_totps')
    .values({ person_id: totp.personId, ...values })
    .onConflict((conflict) => conflict.column('person_id').doUpdateSet(values))
    .execute()
}

/** Uses the code of a time step up. False when it, or that of a later step, was used before, or the app is another one by now. */
export async function takeTotpStep(
  tx: Db,
  { personId, secret }: Pick<PersonTotp, 'personId' | 'secret'>,
  step: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('person_totps')
    .set({ last_step: step, wrong_codes: 0, used_at: now.toISOString() })
    .where('person_id', '=', personId)
    .where('secret', '=', secret)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function countWrongCode(tx: Db, personId: string): Promise<void> {
  await tx
    .updateTable('person_totps')
    .set((eb) => ({ wrong_codes: eb('wrong_codes', '+', 1) }))
    .where('person_id', '=', personId)
    .execute()
}

/** Forgets wrong codes: the person has shown another factor. */
export async function forgetWrongCodes(tx: Db, personId: string): Promise<void> {
  await tx.updateTable('person_totps').set({ wrong_codes: 0 }).where('person_id', '=', personId).execute()
}

export async function deleteTotp(tx: Db, personId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('person_totps').where('person_id', '=', personId).executeTakeFirst()
  return numDeletedRows === 1n
}

/** Adds a passkey. False when its credential is known, of whomever. */
export async function insertPasskey(tx: Db, passkey: Omit<PersonPasskey, 'createdAt' | 'usedAt'>, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('person_passkeys')
    .values({
      credential_id: passkey.credentialId,
      person_id: passkey.personId,
      name: passkey.name,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: JSON.stringify(passkey.transports),
      created_at: now.toISOString(),
      used_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Notes a use of a passkey, whose counter goes from `before` to `after`. False when it was used or removed meanwhile. */
export async function takePasskeyCounter(
  tx: Db,
  { personId, credentialId, counter: before }: Pick<PersonPasskey, 'personId' | 'credentialId' | 'counter'>,
  after: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('person_passkeys')
    .set({ counter: after, used_at: now.toISOString() })
    .where('credential_id', '=', credentialId)
    .where('person_id', '=', personId)
    .where('counter', '=', before)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function deletePasskey(tx: Db, personId: string, credentialId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('person_passkeys')
    .where('person_id', '=', personId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Gives a person new recovery codes; those from before end. */
export async function replaceRecoveryCodes(tx: Db, personId: string, hashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('person_recovery_codes').where('person_id', '=', personId).execute()
  if (hashes.length > 0)
    await tx
      .insertInto('person_recovery_codes')
      .values(hashes.map((hash) => ({ person_id: personId, code_hash: hash })))
      .execute()
}

/** Uses a recovery code up. False when it is none, or was used before. */
export async function takeRecoveryCode(tx: Db, personId: string, hash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('person_recovery_codes')
    .where('person_id', '=', personId)
    .where('code_hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Takes every second factor of a person away. */
export async function deleteFactors(tx: Db, personId: string): Promise<void> {
  await tx.deleteFrom('person_totps').where('person_id', '=', personId).execute()
  await tx.deleteFrom('person_passkeys').where('person_id', '=', personId).execute()
  await tx.deleteFrom('person_recovery_codes').where('person_id', '=', personId).execute()
}
