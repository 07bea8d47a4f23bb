"""A temporary authority, and a certificate of this machine that it signed."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest


def write_certificates(folder):
    """Write ``ca.pem`` and ``ca.key``, ``node.pem`` and ``node.key`` (for 127.0.0.1) into a folder."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 (see above)
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 (same)

    now = datetime.now(UTC)
    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("ca", "node")}
    names = {name: x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in keys}
    of_ca = keys["ca"].public_key()
    for name, key in keys.items():
        uses = dict.fromkeys(
            (
                *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
                *("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
            ),
            False,
        )
        uses["key_cert_sign" if name == "ca" else "digital_signature"] = True
        built = x509.CertificateBuilder().subject_name(names[name]).issuer_name(names["ca"])
        built = built.public_key(key.public_key()).serial_number(x509.random_serial_number())
        built = built.not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(1))
        for extension, is_critical in (
            (x509.BasicConstraints(ca=name == "ca", path_length=None), True),
            (x509.KeyUsage(**uses), True),
            (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(of_ca), False),
            (x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False),
        ):
            built = built.add_extension(extension, critical=is_critical)
        signed = built.sign(keys["ca"], hashes.SHA256())
        (folder / f"{name}.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        form = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (folder / f"{name}.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))
