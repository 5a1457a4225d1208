import type { AdminRole } from '../../domain/identity/admin-role.ts'
import type { FactorKind, SignInWay } from '../../domain/people/second-factor.ts'

export interface PeopleTables {
  /** People of the publishers; their names are unique over the deployment. */
  people: {
    person_id: string
    username: string
    name: string
    password_hash: string
    /** For every publisher; null: those of person_roles alone. */
    role: AdminRole | null
    created_at: string
    revoked_at: string | null
  }
  person_roles: {
    person_id: string
    tenant_id: string
    role: AdminRole
  }
}

export interface InvitationTables {
  /** Links by which people choose a user name and a password, once. Only a hash of the token is stored. */
  person_invitations: {
    token_hash: string
    invitation_id: string
    /** null: for every publisher. */
    tenant_id: string | null
    role: AdminRole
    created_at: string
    expires_at: string
  }
}

export interface PersonSessionTables {
  /** Who is signed in to the console. Only a hash of the token is stored. */
  person_sessions: {
    token_hash: string
    session_id: string
    person_id: string
    browser: string
    address: string
    created_at: string
    used_at: string
    expires_at: string
    way: SignInWay
    /** The second factor that it began with; null: none. */
    factor: FactorKind | null
  }
  /** Sign-ins that wait for a second factor. Only a hash of the token is stored. */
  person_half_sign_ins: {
    token_hash: string
    person_id: string
    way: SignInWay
    /** What a passkey signs (base64url). */
    challenge: string
    expires_at: string
  }
}

export interface FactorTables {
  /** Authenticator apps (RFC 6238), one a person. */
  person_totps: {
    person_id: string
    /** Sealed. */
    secret: string
    /** The newest time step whose code was used: each code counts once. */
    last_step: number
    /** Wrong codes since the last right one. */
    wrong_codes: number
    created_at: string
    used_at: string | null
  }
  /** Passkeys (WebAuthn), several a person. */
  person_passkeys: {
    credential_id: string
    person_id: string
    name: string
    /** COSE, base64url. */
    public_key: string
    /** Of signatures, as the authenticator counts them; 0 where it does not. */
    counter: number
    /** JSON array. */
    transports: string
    created_at: string
    used_at: string | null
  }
  /** Codes for who has lost the others; a row goes when its code is used. */
  person_recovery_codes: {
    person_id: string
    code_hash: string
  }
}
