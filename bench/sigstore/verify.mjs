// Verify a report's bundle with @sigstore/verify, offline, with a key of one's own.
//
//   npm install && node verify.mjs RUN/report.sigstore.json signer.pub [authority.pem]
//
// authority.pem holds the certificate that stamps, then its root, where the bundle carries a time stamp.
import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';

const [bundlePath, keyPath, authorityPath] = process.argv.slice(2);
const bundle = bundleFromJSON(JSON.parse(readFileSync(bundlePath, 'utf8')));
const publicKey = createPublicKey(readFileSync(keyPath));
const keyId = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' })).digest('hex');
const pems = authorityPath ? readFileSync(authorityPath, 'utf8').match(/-----BEGIN[^]+?END CERTIFICATE-----/g) : [];
const certificates = pems.map((pem) => ({ rawBytes: new X509Certificate(pem).raw }));
const authority = { certChain: { certificates }, validFor: { start: new Date(0) } };
const timestampAuthorities = pems.length ? [authority] : [];
const root = { certificateAuthorities: [], timestampAuthorities, tlogs: [], ctlogs: [] };
const trust = toTrustMaterial(root, (hint) => {
  if (hint !== keyId) throw new Error(`the bundle names the key ${hint}, pinned is ${keyId}`);
  return { publicKey, validFor: () => true };
});
const thresholds = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: pems.length ? 1 : 0 };
new Verifier(trust, thresholds).verify(toSignedEntity(bundle));

const statement = JSON.parse(Buffer.from(bundle.content.dsseEnvelope.payload).toString('utf8'));
const report = createHash('sha256').update(readFileSync(join(dirname(bundlePath), 'report.json'))).digest('hex');
const signed = statement.subject.find((subject) => subject.name === 'report.json');
if (signed?.digest.sha256 !== report) throw new Error('report.json is not the signed one');
console.log('verified');
